import { DEFAULT_BUDGETS } from '#turn';
import type { Moves } from './moves.js';
import {
  askedCall,
  IDLE_WORKER,
  type CallRows,
  type Change,
  type End,
  type Worker,
  type WorkerAt,
} from './state.js';
import { leftRequest } from './ledger.js';
import { at, hinted } from './worker-hints.js';

/** What may go wrong with a worker that has a call in hand. */
export function mishaps(moves: Moves, me: Worker, self: WorkerAt): void {
  const { queues } = moves.state;
  const { call: name } = self;
  const call = moves.state[name];
  const queue = `call_${name}` as const;
  const freed =
    moves.variant.broker === 'deliveries'
      ? { queues: { ...queues, [queue]: moves.more(queues[queue]) } }
      : {};
  const left = leftRequest(moves, name, self);
  const died: Change = { [me]: IDLE_WORKER, ...freed, ...left, [name]: withoutWorker(call, me) };
  // One process dies with both of its deliveries.
  if (!moves.variant.oneWorker && moves.variant.deaths) moves.go(`${me} dies`, died, 'fault');
  if (moves.variant.broker === 'deliveries') moves.go(`${me} is cut off from the broker`, freed, 'fault');
  if (self.at === 'running' && moves.variant.deaths) loseTool(moves, me, self);
}

/** One that has claimed the call and does not run it. */
export function dieIdle(moves: Moves, me: Worker): void {
  const call = moves.asked;
  if (!call || call.outcome !== 'none' || moves.variant.oneWorker || !moves.variant.deaths) return;
  if (call.owner !== me && call.earlier !== me) return;
  moves.go(`${me} dies`, { [askedCall(moves.state.turn)!]: withoutWorker(call, me) }, 'fault');
}

/** The rows as they are when this process is gone, and another one has its name. */
function withoutWorker(call: CallRows, me: Worker): CallRows {
  const owner = call.owner === me ? 'gone' : call.owner;
  const isEarlier = call.earlier === me;
  const startedBy = call.startedBy === me ? 'none' : call.startedBy === 'both' ? otherOf(me) : call.startedBy;
  return {
    ...call,
    owner,
    earlier: isEarlier ? 'none' : call.earlier,
    lost: call.lost || isEarlier,
    startedBy,
  };
}

const otherOf = (me: Worker): Worker => (me === 'w1' ? 'w2' : 'w1');

/** The connection to the tool breaks while it runs. */
function loseTool(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name, attempt, told } = self;
  const run = {
    class: moves.variant.toolClass,
    attempt,
    attempts: DEFAULT_BUDGETS.callAttempts,
    stopped: told,
  };
  switch (moves.rules.decideLostConnection(run)) {
    case 'unknown':
      return lost('unknown');
    case 'give_up':
      return lost('gave_up');
    case 'claim_again':
      return moves.go(`${me} loses its tool`, { [me]: at('claiming', name, attempt + 1) }, 'fault');
  }
  function lost(end: End): void {
    const { change, broken } = moves.settled(name, end, [me]);
    const idle = { ...hinted(moves, {}), [me]: IDLE_WORKER };
    moves.go(`${me} loses its tool, inserts outcome ${end}`, { ...idle, ...change }, 'fault', broken);
  }
}
