import type { Claim, ErrorDetail, StoodBack } from '#contracts';
import { mayHaveRun, neverStarted } from '../journal/outcomes.js';
import type { Liveness } from './liveness.js';

export type StoppedAction =
  /** Tell each of these owners to stop; send `stoodBack` along. */
  { do: 'cancel'; owners: string[]; stoodBack: StoodBack[] } | { do: 'settle'; error: ErrorDetail };

/**
 * Decides about a stopped call without outcome that was claimed to run. Every owner that ever claimed it may be running
 * it, however often it was claimed since, because a suspicion may be wrong. So the call ends here only when each owner
 * is dead or has stood back. The outcome is unknown unless every owner has reported that it never started the call.
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
  return { do: 'settle', error: mayHaveRun(dead.length > 0 ? undefined : 'Its worker lost it.') };
}
