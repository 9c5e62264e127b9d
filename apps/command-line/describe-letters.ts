import type { DeadLetter } from '#contracts';

export type LetterSummary = Omit<DeadLetter, 'content'>;

/** One line each. */
export function listLetters(letters: LetterSummary[]): string {
  if (letters.length === 0) return 'There are no dead letters.\n';
  return letters
    .map((letter) => `${letter._id}  ${letter.at}  ${letter.queue}  ${printable(reasonOf(letter))}\n`)
    .join('');
}

export function describeLetter({ content, ...letter }: DeadLetter): string {
  const lines = Object.entries(letter).map(
    ([name, value]) => `${name.padEnd(12)} ${printable(String(value))}`,
  );
  return `${lines.join('\n')}\n\n${printable(content)}\n`;
}

function reasonOf({ reason, replayed_at }: LetterSummary): string {
  return replayed_at === undefined ? reason : `${reason} (replayed ${replayed_at})`;
}

/** Poison must not drive the terminal that looks at it. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (control) =>
    control === '\n' ? control : '\uFFFD',
  );
}
