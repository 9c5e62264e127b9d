import { failedOutcome } from '#turn';
import { mayHaveBeenHeld } from './held-calls.js';
import { callRow, CLOCKS, endOf, journalOf, processId } from './journal-of.js';
import type { Moves } from './moves.js';
import { IDLE_WORKER, type CallName, type Worker, type WorkerAt } from './state.js';
import { firstClaim, judgeLost, lateness } from './worker-claims.js';
import { at, settle } from './worker-hints.js';

/*
 * Workers without the store. A request may be served at any time and any number of times, by any orchestrator: serving
 * is one insert, and the answer is what the rows say whenever the worker hears it. The worker asks until it knows. One
 * that dies meanwhile leaves its request behind.
 */

/** It has asked for attempt 1 and does not know yet whether that is its own. */
export function askLedger(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name } = self;
  const call = moves.state[name];
  const isServed = self.attempt === 1;
  if (moves.has('started_unanswered') && !isServed)
    return moves.go(`${me} does not wait for the answer`, { [me]: at('starting', name, 1) });
  if (call.attempt === 0)
    return moves.go(`the ledger serves the claim of ${me}`, {
      [name]: firstClaim(moves, call, me),
      [me]: { ...self, attempt: 1, ...lateness(moves, call) },
    });
  if (isServed) hearMine(moves, me, self);
  // A repetition that is another request finds the worker's own claim, and takes it for another's.
  if (!isServed || moves.has('asked_anew'))
    judgeLost(moves, me, name, `${me} hears that call ${name} is taken`, { [me]: IDLE_WORKER });
}

/** The answer may come after the deadline: then the call ends without having started. */
function hearMine(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name, late, told } = self;
  const { rules, state, variant } = moves;
  const journal = journalOf({ ...state.turn, step1: `asks_${name}` }, state[name], variant.toolClass);
  const step = journal.steps[0]!;
  const row = callRow(name, variant.toolClass);
  for (const clock of moves.clocks)
    for (const releasedAt of mayHaveBeenHeld(moves, clock)) {
      const deadline = rules.sendDeadlineOf(journal, { step, call: row, releasedAt });
      const now = rules.decideDelivery(deadline, CLOCKS[clock]);
      if (now.do !== 'refuse')
        moves.go(`${me} hears that call ${name} is its own`, {
          [me]: at('starting', name, 1, { late, told }),
        });
      else {
        const by = { worker: processId(me), attempt: 1, at: step.at };
        const end = endOf(failedOutcome(step, row, now.error, by));
        settle(moves, me, name, end, `${me} hears too late that call ${name} is its own`);
      }
    }
}

/** Requests of workers that are gone: served while they are in their queue, which is not long. */
export function strayRequests(moves: Moves): void {
  const { queues } = moves.state;
  for (const name of ['a', 'b'] as const) {
    const asked = `asked_${name}` as const;
    if (queues[asked] === 0) continue;
    const taken = { queues: { ...queues, [asked]: 0 } };
    const call = moves.state[name];
    moves.go(`a dead worker's request for call ${name} expires`, taken);
    if (call.attempt === 0)
      moves.go(
        `the ledger serves a dead worker's claim of call ${name}`,
        { ...taken, [name]: firstClaim(moves, call, 'gone') },
        'fault',
      );
  }
}

/** What a worker that dies while it asks leaves behind. */
export function leftRequest(moves: Moves, name: CallName, self: WorkerAt) {
  const { queues } = moves.state;
  const isOpen = self.at === 'asking' && self.attempt === 0;
  return isOpen ? { queues: { ...queues, [`asked_${name}`]: 1 } } : {};
}
