// eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
const ANSI_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g;
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** One harmless line for a log or an error message: no control, escape or direction characters, at most `maxLength`. */
export function toPrintable(text: string, maxLength = 2000): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(ANSI_SEQUENCE, '')
    .replace(CONTROL_CHARACTERS, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
