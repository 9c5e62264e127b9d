import type { Moves } from './moves.js';
import { IDLE_WORKER, type CallName, type Change, type WorkerAt } from './state.js';

/** A worker that has a call in hand. */
export function at(
  where: WorkerAt['at'],
  call: CallName,
  attempt: number,
  change: Partial<WorkerAt> = {},
): WorkerAt {
  return { ...IDLE_WORKER, at: where, call, attempt, ...change };
}

/** The hint about a result, on top of what was taken out of a queue. */
export function hinted(moves: Moves, taken: Change): Change {
  const hint = moves.hinted();
  if (moves.has('no_hint_after_outcome')) return taken;
  if (!hint.queues || !taken.queues) return { ...taken, ...hint };
  return { queues: { ...taken.queues, advance: hint.queues.advance } };
}
