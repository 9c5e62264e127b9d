import type { Journal } from '#contracts';
import { endingStep } from '#turn';
import type { LifeEvent } from '../evidence.js';
import { groupBy } from './group-by.js';
import type { History } from './history.js';

export interface Recovery {
  longestMs: number;
  turnId: string;
  /** The first strike of that pause. */
  after: string;
  /** How many others followed before anything happened. */
  moreStrikes: number;
}

/**
 * The longest time that a turn in progress stood still after something was struck: from the first strike in the
 * pause to the next row of its journal, or the next thing that a viewer was shown of it. Tools that take their time
 * are part of it.
 */
export function longestRecovery(
  { store, lives }: Pick<History, 'store' | 'lives'>,
  shown: { at: number; turnId: string }[],
): Recovery | undefined {
  const strikes = lives.filter(isStrike).sort((a, b) => a.at - b.at);
  const shownOf = groupBy(shown, ({ turnId }) => turnId);
  let longest: Recovery | undefined;
  for (const { journals } of store) {
    let freeSince = 0;
    for (const journal of journals) {
      const turnId = journal.turn._id;
      const times = [...rowTimes(journal), ...(shownOf.get(turnId) ?? []).map(({ at }) => at)];
      const end = endTime(journal) ?? Infinity;
      const found = longestPause(times, Math.max(freeSince, Date.parse(journal.turn.at)), end, strikes);
      if (found && found.ms > (longest?.longestMs ?? 0))
        longest = { longestMs: found.ms, turnId, after: nameOf(found.first), moreStrikes: found.more };
      freeSince = Math.max(freeSince, end);
    }
  }
  return longest;
}

function longestPause(times: number[], from: number, until: number, strikes: readonly LifeEvent[]) {
  const points = times.filter((at) => at > from && at <= until).sort((a, b) => a - b);
  let longest: { ms: number; first: LifeEvent; more: number } | undefined;
  let before = from;
  // Both are in order, and there may be very many of them.
  let next = 0;
  for (const at of points) {
    while (next < strikes.length && strikes[next]!.at < before) next++;
    const first = strikes[next];
    const ms = first === undefined ? 0 : at - first.at;
    const begin = next;
    while (next < strikes.length && strikes[next]!.at <= at) next++;
    if (first && ms > (longest?.ms ?? 0)) longest = { ms, first, more: next - begin - 1 };
    before = at;
  }
  return longest;
}

function rowTimes({ steps, claims, outcomes }: Journal): number[] {
  return [...steps, ...claims, ...outcomes].map(({ at }) => Date.parse(at));
}

function endTime(journal: Journal): number | undefined {
  const end = endingStep(journal);
  return end && Date.parse(end.at);
}

/** What somebody did, not what follows from it. */
export function isStrike({ what }: LifeEvent): boolean {
  return what !== 'born' && what !== 'stillborn';
}

function nameOf(event: LifeEvent): string {
  return `${event.place} ${event.what === 'struck' ? event.how : event.what}`;
}
