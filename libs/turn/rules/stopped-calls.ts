import type { Claim, ErrorDetail, StoodBack } from '#contracts';
import { mayHaveRun, neverStarted } from '../journal/outcomes.js';
import type { Liveness } from './liveness.js';

export type StoppedAction =
  /** Tell each of them to stop; `stoodBack` goes with it. */
  { do: 'cancel'; owners: string[]; stoodBack: StoodBack[] } | { do: 'settle'; error: ErrorDetail };

/**
 * What is to be done about a stopped call without outcome that was claimed to run. Whoever ever claimed it may be at it,
 * however often it was claimed since, because a suspicion may be wrong. So it ends here only when each of them is dead
 * or has stood back, as unknown unless every one has said that it never started.
 */
export function decideStopped(
  claims: readonly Pick<Claim, 'owner'>[],
  { liveness, stoodBack = [] }: { liveness: (processId: string) => Liveness; stoodBack?: StoodBack[] },
): StoppedAction {
  const owners = [...new Set(claims.map(({ owner }) => owner))];
  const started = new Map(stoodBack.map(({ worker, started }) => [worker, started]));
  const dead = owners.filter((owner) => !started.has(owner) && liveness(owner) === 'dead');
  const left = owners.filter((owner) => !started.has(owner) && !dead.includes(owner));
  if (left.length > 0) return { do: 'cancel', owners: left, stoodBack };
  if (owners.every((owner) => started.get(owner) === false)) return { do: 'settle', error: neverStarted() };
  return { do: 'settle', error: mayHaveRun(dead.length > 0 ? undefined : 'Its worker has lost it.') };
}
