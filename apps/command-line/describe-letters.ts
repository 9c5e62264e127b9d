import type { ListedLetter, ShownLetter } from '#contracts';
import { toTerminalSafe } from '#observability';

/** One line each. */
export function listLetters(letters: ListedLetter[]): string {
  if (letters.length === 0) return 'There are no dead letters.\n';
  return letters
    .map((letter) => `${letter._id}  ${letter.at}  ${letter.queue}  ${toTerminalSafe(reasonOf(letter))}\n`)
    .join('');
}

export function describeLetter({ content, ...letter }: ShownLetter): string {
  const lines = Object.entries(letter).map(
    ([name, value]) => `${name.padEnd(12)} ${toTerminalSafe(String(value))}`,
  );
  return `${lines.join('\n')}\n\n${toTerminalSafe(content)}\n`;
}

function reasonOf({ reason, replayed_at }: ListedLetter): string {
  return replayed_at === undefined ? reason : `${reason} (replayed ${replayed_at})`;
}
