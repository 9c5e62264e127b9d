import type { DeadLetter, Journal } from '#contracts';

/** Dead hints of one turn in a row after which it is ended. */
export const MAX_DEAD_HINTS = 4;
/** Deaths further apart than this have nothing to do with each other. */
const WINDOW_MS = 10 * 60_000;

/**
 * How many of these dead letters of a turn were hints that died lately, since the turn last got anywhere. Clocks of
 * several machines: good enough, it only bounds how often something is tried.
 */
export function deadHintsInARow(journal: Journal, letters: DeadLetter[], now: number): number {
  const progress = [...journal.steps, ...journal.outcomes, ...journal.answers].map(({ at }) =>
    Date.parse(at),
  );
  const since = Math.max(now - WINDOW_MS, ...progress);
  return letters.filter(({ queue, at }) => queue === 'turns' && Date.parse(at) > since).length;
}
