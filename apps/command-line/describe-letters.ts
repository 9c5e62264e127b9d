import type { DeadLetter } from '#contracts';
import { toTerminalSafe } from './terminal-safe.js';

export type LetterSummary = Omit<DeadLetter, 'content'>;

/** One line each. */
export function listLetters(letters: LetterSummary[]): string {
  if (letters.length === 0) return 'There are no dead letters.\n';
  return letters
    .map((letter) => `${letter._id}  ${letter.at}  ${letter.queue}  ${toTerminalSafe(reasonOf(letter))}\n`)
    .join('');
}

export function describeLetter({ content, ...letter }: DeadLetter): string {
  const lines = Object.entries(letter).map(
    ([name, value]) => `${name.padEnd(12)} ${toTerminalSafe(String(value))}`,
  );
  return `${lines.join('\n')}\n\n${toTerminalSafe(content)}\n`;
}

function reasonOf({ reason, replayed_at }: LetterSummary): string {
  return replayed_at === undefined ? reason : `${reason} (replayed ${replayed_at})`;
}
