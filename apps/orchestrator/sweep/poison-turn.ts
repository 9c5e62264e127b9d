import type { DeadLetter, Journal } from '#contracts';

/** The number of dead hints in a row after which a turn is ended. */
export const MAX_DEAD_HINTS = 4;
/** Deaths further apart than this are unrelated. */
const WINDOW_MS = 10 * 60_000;

/**
 * The number of these dead letters that were recent hints of the turn since it last made progress. The times come from
 * several clocks; that is good enough, because they only bound the number of attempts.
 */
export function deadHintsInARow(journal: Journal, letters: DeadLetter[], now: number): number {
  const progress = [...journal.steps, ...journal.outcomes, ...journal.answers].map(({ at }) =>
    Date.parse(at),
  );
  const since = Math.max(now - WINDOW_MS, ...progress);
  return letters.filter(({ queue, at }) => queue === 'turns' && Date.parse(at) > since).length;
}
