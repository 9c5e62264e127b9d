import { failedOutcome } from '#turn';
import { mayHaveBeenHeld } from './held-calls.js';
import { CLOCKS, callRow, journalOf, outcomeOf, processId, type Clock } from './journal-of.js';
import type { Moves } from './moves.js';
import {
  askedCall,
  IDLE_WORKER,
  type CallName,
  type CallRows,
  type Change,
  type Worker,
  type WorkerAt,
  type WorkerSet,
} from './state.js';
import { askLedger } from './ledger.js';
import { firstClaim, judgeLost, lateness, nameOf, ownedBy } from './worker-claims.js';
import { at, hinted, settle } from './worker-hints.js';
import { dieIdle, mishaps } from './worker-mishaps.js';

/** Claims calls, runs them, settles them; may die or lose its tool at any line. */
export function workerMoves(moves: Moves, me: Worker): void {
  const self = moves.state[me];
  switch (self.at) {
    case 'idle':
      for (const name of ['a', 'b'] as const) receive(moves, me, name);
      if (moves.variant.faults) dieIdle(moves, me);
      return;
    case 'asking':
      askLedger(moves, me, self);
      break;
    case 'claiming':
      claimNext(moves, me, self);
      break;
    case 'rereading':
      reread(moves, me, self);
      break;
    case 'starting':
      start(moves, me, self);
      break;
    case 'running':
      finish(moves, me, self);
      break;
    case 'recording':
      record(moves, me, self);
  }
  if (moves.variant.faults) mishaps(moves, me, self);
}

function receive(moves: Moves, me: Worker, name: CallName): void {
  const { queues, w1, w2 } = moves.state;
  const queue = `call_${name}` as const;
  if (queues[queue] === 0) return;
  const taken = { queues: { ...queues, [queue]: moves.fewer(queues[queue]) } };
  const rival = me === 'w1' ? w2 : w1;
  const isInHand = moves.variant.oneWorker && rival.at !== 'idle' && rival.call === name;
  if (isInHand && !moves.has('claim_of_own_name_taken')) return moves.go(`${me} has it in hand`, taken);
  if (moves.has('start_without_claim')) {
    if (moves.state[name].outcome !== 'none') return;
    return moves.go(`${me} gets call ${name}`, { ...taken, [me]: at('starting', name, 1) });
  }
  for (const clock of moves.clocks)
    for (const releasedAt of mayHaveBeenHeld(moves, clock))
      deliver(moves, me, name, taken, clock, releasedAt);
}

/** Attempt 1 at once; lost: read what stands, and do what the rules say. */
function deliver(
  moves: Moves,
  me: Worker,
  name: CallName,
  taken: Change,
  clock: Clock,
  releasedAt: number | undefined,
): void {
  const { rules, state, variant } = moves;
  const call = state[name];
  const how = `${me} gets call ${name}`;
  const journal = journalOf({ ...state.turn, step1: `asks_${name}` }, call, variant.toolClass);
  const step = journal.steps[0]!;
  const row = callRow(name, variant.toolClass);
  const deadline = rules.sendDeadlineOf(journal, { step, call: row, releasedAt });
  const delivered = rules.decideDelivery(deadline, CLOCKS[clock]);
  if (delivered.do === 'drop') return moves.go(`${how}, drops it`, taken);
  if (delivered.do === 'refuse' && call.attempt === 0) {
    const by = { worker: processId(me), attempt: 0, at: step.at };
    const outcome = failedOutcome(step, row, delivered.error, by);
    return moves.compete(
      `${how} too late,`,
      name,
      { do: 'compete', outcome },
      { ...moves.hinted(), ...taken },
      'progress',
    );
  }
  const isOwn = moves.has('claim_of_own_name_taken') && call.owner === nameOf(moves, me);
  if (variant.ledger)
    return moves.go(`${how}, asks the ledger for it`, { ...taken, [me]: at('asking', name, 0) });
  if (call.attempt === 0 || isOwn || moves.has('claim_upserted'))
    return moves.go(`${how}, claims it`, {
      ...taken,
      [name]: firstClaim(moves, call, nameOf(moves, me)),
      [me]: at('starting', name, 1, lateness(moves, call)),
    });
  judgeLost(moves, me, name, how, taken);
}

function claimNext(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name, attempt } = self;
  const call = moves.state[name];
  const label = `${me} claims call ${name} again, attempt ${attempt}`;
  if (call.attempt !== attempt - 1) return moves.go(`${label}: loses`, { [me]: IDLE_WORKER });
  const claimed: CallRows = { ...call, attempt, ...ownedBy(call, nameOf(moves, me)) };
  moves.go(`${label}: wins`, {
    [name]: moves.withoutHistory(claimed),
    [me]: at('rereading', name, attempt, lateness(moves, call)),
  });
}

/** What the rows say after the claim. */
function reread(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name } = self;
  const { turn } = moves.state;
  const call = moves.state[name];
  const [first, next] = journalOf(turn, call, moves.variant.toolClass).steps;
  const step = askedCall(turn) === name ? first : null;
  const outcome = call.outcome === 'none' ? null : outcomeOf(name, call.outcome);
  switch (moves.rules.decideAfterReclaim({ step, outcome, next: next ?? null })) {
    case 'run':
      return moves.go(`${me} reads again: may start`, { [me]: { ...self, at: 'starting' } });
    case 'settled':
      return moves.go(`${me} reads again: it has ended`, { [me]: IDLE_WORKER, ...hinted(moves, {}) });
    case 'uncommitted':
      return moves.go(`${me} reads again: nobody asks for it`, { [me]: IDLE_WORKER });
    case 'stopped':
      return standBack(moves, me, name, `${me} reads again: stopped`);
  }
}

/** It does not run under this claim: somebody who has claimed it before, or after, may. */
function standBack(moves: Moves, me: Worker, name: CallName, why: string): void {
  for (const { says, kind } of moves.judgeOwners(moves.state[name], me)) {
    const { change, broken, end } = moves.standBack(name, me, [], says);
    const hint = end === undefined ? {} : hinted(moves, {});
    const how = end === undefined ? 'leaves it to who may run it' : `inserts outcome ${end}`;
    moves.go(`${why}, ${how}`, { ...hint, ...change, [me]: IDLE_WORKER }, kind, broken);
  }
}

function start(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name, late } = self;
  const { turn, gateway } = moves.state;
  const call = moves.state[name];
  if (self.told) {
    return standBack(moves, me, name, `${me} is told to stop before it starts`);
  }
  const effect: CallRows = {
    ...call,
    startedBy: withWorker(call.startedBy, nameOf(moves, me)),
    starts: Math.min(call.starts + 1, moves.variant.toolClass === 'once' ? 2 : 1),
  };
  const isAsked = askedCall(turn) === name || turn.conversation === 'removed';
  const broken = !isAsked
    ? 'no effect of an uncommitted step'
    : gateway.acked === 'unclaimed'
      ? 'no start after an acknowledged Stop'
      : late !== 'no'
        ? 'no start under a claim that came too late'
        : undefined;
  if (moves.has('outcome_before_effect') && call.outcome === 'none') {
    return moves.go(`${me} records the result first`, { [name]: { ...call, outcome: 'done' } });
  }
  moves.go(
    `${me} STARTS call ${name}`,
    { [name]: moves.withoutHistory(effect), [me]: { ...self, at: 'running' } },
    'progress',
    broken,
  );
}

function finish(moves: Moves, me: Worker, self: WorkerAt): void {
  const { call: name } = self;
  const { queues } = moves.state;
  if (self.told) settle(moves, me, name, 'stopped', `${me} obeys Stop`);
  if (moves.variant.endless) return;
  if (moves.has('hint_before_outcome')) {
    return moves.go(`${me} hints before it records`, {
      ...moves.hinted(),
      [me]: { ...self, at: 'recording' },
    });
  }
  if (moves.has('result_believed_from_hint')) {
    const told = { queues: { ...queues, result: 1 }, ...wakeDriver(moves) };
    return moves.go(`${me} sends the result`, { ...told, [me]: { ...self, at: 'recording' } });
  }
  settle(moves, me, name, 'done', `${me} has run call ${name}`);
}

function wakeDriver(moves: Moves): Change {
  const { queues: _queues, ...woken } = moves.hinted();
  return woken;
}

function record(moves: Moves, me: Worker, self: WorkerAt): void {
  const { change } = moves.settled(self.call, 'done', [me]);
  moves.go(`${me} records the result`, { [me]: IDLE_WORKER, ...change });
}

function withWorker(set: WorkerSet, me: Worker): WorkerSet {
  return set === 'none' || set === me ? me : 'both';
}
