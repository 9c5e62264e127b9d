import type { Moves } from './moves.js';
import { IDLE_WORKER, type CallName, type Change, type End, type Worker, type WorkerAt } from './state.js';

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

/** Inserts the outcome, hints, acks. */
export function settle(
  moves: Moves,
  me: Worker,
  name: CallName,
  end: End,
  why: string,
  taken: Change = {},
): void {
  const { change, broken } = moves.settled(name, end, [me]);
  const idle = { ...hinted(moves, taken), [me]: IDLE_WORKER };
  moves.go(`${why}, inserts outcome ${end}`, { ...idle, ...change }, 'progress', broken);
}
