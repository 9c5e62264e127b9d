/** Text from others must not control the terminal that shows it. Line breaks stay. */
export function toTerminalSafe(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (control) =>
    control === '\n' ? control : '\uFFFD',
  );
}
