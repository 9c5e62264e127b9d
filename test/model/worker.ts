import { failedOutcome, type Liveness } from '#turn';
import { mayHaveBeenHeld } from './held-calls.js';
import {
  CLOCKS,
  callRow,
  claimsOf,
  endOf,
  journalOf,
  outcomeOf,
  processId,
  type Clock,
} from './journal-of.js';
import type { Moves } from './moves.js';
import {
  askedCall,
  IDLE_WORKER,
  type CallName,
  type CallRows,
  type Change,
  type End,
  type Worker,
  type WorkerAt,
  type WorkerSet,
} from './state.js';
import { at, hinted } from './worker-hints.js';
import { dieIdle, mishaps } from './worker-mishaps.js';

/** Claims calls, runs them, settles them; may die or lose its tool at any line. */
export function workerMoves(moves: Moves, me: Worker): void {
  const self = moves.state[me];
  switch (self.at) {
    case 'idle':
      for (const name of ['a', 'b'] as const) receive(moves, me, name);
      if (moves.variant.faults) dieIdle(moves, me);
      return;
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

/** By which name its claims go: two deliveries of one process share it. */
const nameOf = (moves: Moves, me: Worker): Worker => (moves.variant.oneWorker ? 'w1' : me);

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
  if (call.attempt === 0 || isOwn || moves.has('claim_upserted')) {
    const claimed: CallRows = {
      ...call,
      attempt: Math.max(1, call.attempt),
      ...ownedBy(call, nameOf(moves, me)),
      purpose: 'run',
      decides: 'none',
    };
    return moves.go(`${how}, claims it`, {
      ...taken,
      [name]: moves.withoutHistory(claimed),
      [me]: at('starting', name, 1, lateness(moves, call)),
    });
  }
  for (const { says, kind } of moves.judge(call.purpose === 'run' ? call.owner : 'none')) {
    const found = {
      claims: claimsOf(name, call),
      outcome: call.outcome === 'none' ? null : outcomeOf(name, call.outcome),
    };
    const work = { class: variant.toolClass, me: processId(me), liveness: (): Liveness => says };
    const action = moves.remember(`lost|${call.id}|${me}|${says}`, () => rules.decideLostClaim(found, work));
    switch (action.do) {
      case 'hint':
        moves.go(`${how}: it has ended, hints`, { ...hinted(moves, taken) }, kind);
        break;
      case 'ignore':
        moves.go(`${how}: claimed, drops it`, taken, kind);
        break;
      case 'settle':
        settle(moves, me, name, endOf(action.outcome), `${how} with a settle claim`, taken);
        break;
      case 'claim_again':
        moves.go(`${how}: owner seems dead`, { ...taken, [me]: at('claiming', name, action.attempt) }, kind);
    }
  }
}

function lateness(moves: Moves, call: CallRows): Pick<WorkerAt, 'late'> {
  if (moves.state.gateway.acked !== 'no') return { late: 'after_stop' };
  return { late: call.outcome === 'none' ? 'no' : 'after_outcome' };
}

/** The owners after a new claim: those before are not forgotten. */
function ownedBy(call: CallRows, owner: Worker): Pick<CallRows, 'owner' | 'earlier' | 'lost'> {
  const { earlier, lost } = call;
  if (call.owner === 'gone') return { owner, earlier: earlier === owner ? 'none' : earlier, lost: true };
  const other = call.owner === 'w1' || call.owner === 'w2' ? call.owner : 'none';
  return { owner, earlier: other === owner || other === 'none' ? earlier : other, lost };
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

/** Inserts the outcome, hints, acks. */
function settle(moves: Moves, me: Worker, name: CallName, end: End, why: string, taken: Change = {}): void {
  const { change, broken } = moves.settled(name, end, [me]);
  const idle = { ...hinted(moves, taken), [me]: IDLE_WORKER };
  moves.go(`${why}, inserts outcome ${end}`, { ...idle, ...change }, 'progress', broken);
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
