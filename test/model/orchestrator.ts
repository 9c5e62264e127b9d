import { errorDetail, type Journal } from '#contracts';
import { DEFAULT_BUDGETS, type Action } from '#turn';
import { hold, mayHaveHeld } from './held-calls.js';
import { processId } from './journal-of.js';
import type { Kind, Moves, Says } from './moves.js';
import {
  callOf,
  hasEnded,
  IDLE_ORCHESTRATOR,
  type Change,
  type Orchestrator,
  type OrchestratorAt,
  type Queues,
  type TurnRows,
} from './state.js';

/** Takes up turns, decides, commits rows, publishes calls; may die, forget or be wrongly suspected at any line. */
export function orchestratorMoves(moves: Moves, me: Orchestrator): void {
  const self = moves.state[me];
  if (self.at === 'idle') receive(moves, me);
  if (self.at === 'claiming') claim(moves, me);
  if (self.at === 'driving') drive(moves, me);
  if (self.at === 'committing') commit(moves, me, self);
  if (self.at === 'driving' || self.at === 'committing') hearStop(moves, me, self);
  if (moves.variant.faults && self.at !== 'idle') mishaps(moves, me, self);
}

const other = (me: Orchestrator): Orchestrator => (me === 'o1' ? 'o2' : 'o1');

function receive(moves: Moves, me: Orchestrator): void {
  const { queues } = moves.state;
  if (queues.advance > 0) {
    const taken = { ...queues, advance: moves.fewer(queues.advance) };
    takeUp(moves, me, `${me} gets turn.advance`, taken, true);
  }
}

/** Reads the journal and does what a hint about a turn that is not driven here leads to. */
function takeUp(moves: Moves, me: Orchestrator, how: string, queues: Queues, holds: boolean): void {
  const { turn } = moves.state;
  const idle: OrchestratorAt = { ...IDLE_ORCHESTRATOR };
  if (turn.conversation === 'removed') return moves.go(`${how}: no such turn`, { queues, [me]: idle });
  if (hasEnded(turn)) return end(moves, me, how, { queues, [me]: idle });
  for (const { says, kind } of moves.judge(turn.driver)) {
    const decision = moves.remember(`up|${moves.rowsKey()}|${me}|${says}`, () =>
      moves.rules.decideTakeUp(moves.journal(turn), processId(me), () => says),
    );
    if (decision.do === 'claim') {
      const self = {
        ...idle,
        at: 'claiming' as const,
        holds: holds && moves.variant.broker === 'deliveries',
        sawMark: turn.conversation === 'marked',
      };
      moves.go(`${how}, will claim`, { queues, [me]: self }, kind);
    } else passOn(moves, me, how, { queues, [me]: idle }, kind);
  }
}

/** To the driver's control queue: it wakes a driver. One without memory of the turn may get the hint as well as anybody. */
function passOn(moves: Moves, me: Orchestrator, how: string, taken: Change, kind: Kind): void {
  const { driver } = moves.state.turn;
  const queues = taken.queues!;
  // A control queue that is gone returns the hint: not suspect yet, acked all the same.
  if (driver !== 'o1' && driver !== 'o2') return moves.go(`${how}: driver not there`, taken, kind);
  if (driver !== me && moves.state[driver].at !== 'idle') {
    const woken = { ...moves.state[driver], awake: true };
    return moves.go(`${how}, wakes its driver`, { ...taken, [driver]: woken }, kind);
  }
  moves.go(
    `${how}, passes it on to ${driver}`,
    { ...taken, queues: { ...queues, advance: moves.more(queues.advance) } },
    kind,
  );
}

function claim(moves: Moves, me: Orchestrator): void {
  const { state } = moves;
  const self = state[me];
  if (self.overtaken)
    return takeUp(moves, me, `${me} loses the claim, reads again`, state.queues, self.holds);
  const rival = state[other(me)];
  const change: Change = {
    turn: { ...state.turn, driver: me },
    [me]: { ...self, at: 'driving' },
  };
  if (rival.at !== 'idle') change[other(me)] = { ...rival, overtaken: true };
  moves.go(`${me} claims the turn`, change);
}

/** Decides by the journal as it is or, with stale reads, as it was before the last row or without the newer claim. */
function drive(moves: Moves, me: Orchestrator): void {
  const { turn } = moves.state;
  const self = moves.state[me];
  if (!self.awake) return;
  decideOn(moves, me, turn, self.overtaken);
  const { asked, askedBeforeItsClaim } = moves;
  if (askedBeforeItsClaim) decideOn(moves, me, turn, false, askedBeforeItsClaim);
  if (asked && moves.state.queues.result > 0) decideOn(moves, me, turn, false, { ...asked, outcome: 'done' });
  if (!moves.variant.staleReads) return;
  if (self.overtaken) decideOn(moves, me, turn, false);
  if (turn.step2 !== 'none') decideOn(moves, me, { ...turn, step2: 'none' }, false);
}

function decideOn(
  moves: Moves,
  me: Orchestrator,
  known: TurnRows,
  knowsOvertaken: boolean,
  call = moves.asked,
): void {
  const { rules, state } = moves;
  const self = state[me];
  const seen = `${moves.rowsKey()}|${known.step2}|${me}|${knowsOvertaken}|${call?.attempt}|${call?.outcome}`;
  const driving = { me, knowsOvertaken };
  if (moves.remember(`over|${seen}`, () => rules.isSuperseded(moves.journal(known, driving), 1))) {
    return moves.go(`${me} is superseded, leaves`, { [me]: IDLE_ORCHESTRATOR });
  }
  for (const clock of moves.clocks) {
    for (const { says, key, kind } of moves.judgeOwners(call)) {
      for (const releasedAt of mayHaveHeld(moves, clock)) {
        const how = `${clock}|${key}|${self.sawMark}|${releasedAt}`;
        const action = moves.remember(`drive|${seen}|${how}`, () =>
          rules.decide(moves.journal(known, driving, call), {
            ...moves.situation(me, says, clock),
            budgets: DEFAULT_BUDGETS,
            deleted: self.sawMark,
            releasedAt: () => releasedAt,
          }),
        );
        act(moves, me, action, kind, releasedAt === Infinity, says);
        if (action.do === 'await_calls' && moves.variant.clocks)
          withoutWorker(moves, me, action, moves.journal(known, driving, call));
      }
    }
  }
}

function act(moves: Moves, me: Orchestrator, action: Action, kind: Kind, holds: boolean, says: Says): void {
  const self = moves.state[me];
  const insert = (n: number, row: OrchestratorAt['row']): OrchestratorAt => ({
    ...self,
    at: 'committing',
    n,
    row,
  });
  switch (action.do) {
    case 'call_model': {
      const early = moves.has('publish_before_commit') && action.n === 1;
      const queues = early ? { queues: moves.withCall(callOf(me)) } : {};
      return moves.go(
        `${me} calls the model${early ? ', publishes its call before the commit' : ''}`,
        { [me]: insert(action.n, 'model'), ...queues },
        kind,
        self.sawMark ? 'no model call for a deleted conversation' : undefined,
      );
    }
    case 'commit_cancel':
      return moves.go(`${me} is about to cancel`, { [me]: insert(action.n, 'cancel') }, kind);
    case 'commit_fail':
      return moves.go(`${me} is about to fail the turn`, { [me]: insert(action.n, 'fail') }, kind);
    case 'await_calls': {
      const waits = { [me]: { ...self, awake: moves.variant.timers } };
      for (const call of action.calls) {
        if (holds && call.action.do === 'publish') hold(moves, me, call, waits, kind);
        else moves.carryOut(me, call, waits, kind, says);
      }
      return;
    }
    case 'end':
      return end(moves, me, `${me} finds the end`, { [me]: IDLE_ORCHESTRATOR });
  }
}

const NOBODY = errorDetail('DependencyUnavailable', 'No worker is running.');

/** The queue of the call's toolset has had no consumers for long enough. */
function withoutWorker(
  moves: Moves,
  me: Orchestrator,
  action: Extract<Action, { do: 'await_calls' }>,
  journal: Journal,
): void {
  const [decision] = action.calls;
  if (decision?.action.do !== 'publish') return;
  const by = moves.situation(me, () => 'alive', 'early');
  const next = moves.rules.decideNotTaken(journal, decision, NOBODY, by);
  moves.carryOut(`${me} (no worker)`, { ...decision, action: next }, {}, 'fault', () => 'alive');
}

/** Tells viewers, sets the caches, and does what the open calls need. */
function end(moves: Moves, me: Orchestrator, how: string, change: Change): void {
  const { turn } = moves.state;
  if (!hasEnded(turn)) return moves.go(`${how}, which it lacks`, change);
  const told: Change = { ...change, turn: { ...turn, ...moves.ended() } };
  for (const { says, key, kind } of moves.judgeOwners(moves.asked)) {
    const stopped = turn.step2 !== 'final';
    const calls = moves.remember(`end|${moves.rowsKey()}|${key}`, () =>
      moves.rules.decideCalls(moves.journal(turn), { ...moves.situation(me, says, 'early'), stopped }),
    );
    if (calls.length === 0) return moves.go(`${how}, tells of the end`, told, kind);
    for (const call of calls) moves.carryOut(`${how}, tells of the end;`, call, told, kind, says);
  }
}

function commit(moves: Moves, me: Orchestrator, { n, row }: OrchestratorAt): void {
  const { turn } = moves.state;
  const self = moves.state[me];
  const goesOn: OrchestratorAt = { ...self, at: 'driving', n: 0, row: 'none', awake: true };
  const number = n === 1 ? 'step1' : 'step2';
  const content = row !== 'model' ? row : n === 2 ? 'final' : (`asks_${callOf(me)}` as const);
  const label = `${me} inserts ${row} as row ${n}`;
  if (turn[number] === 'none') {
    return moves.go(`${label}: wins`, { turn: { ...turn, [number]: content }, [me]: goesOn });
  }
  if (moves.has('step_upserted') && row === 'model' && turn[number] !== content) {
    return moves.go(
      `${label}: overwrites`,
      { turn: { ...turn, [number]: content }, [me]: goesOn },
      'progress',
      'one row per number',
    );
  }
  if (moves.has('cancel_under_own_key') && n === 2 && turn.step2 === 'cancel') {
    return moves.go(`${label} next to the cancel row`, { turn: { ...turn, step2: 'both' }, [me]: goesOn });
  }
  const again = row === 'cancel' ? moves.rules.decideStop(moves.journal(turn)) : undefined;
  if (again?.do === 'commit_cancel') {
    return moves.go(`${label}: loses, tries the next`, { [me]: { ...self, n: again.n } });
  }
  if (moves.has('lost_step_moved_on') && n === 1 && row === 'model') {
    return moves.go(`${label}: loses, tries the next`, { [me]: { ...self, n: 2 } });
  }
  moves.go(`${label}: loses, reads the winner`, { [me]: goesOn });
}

/** `turn.stop` to the driver: it commits the row itself, with the text so far. */
function hearStop(moves: Moves, me: Orchestrator, self: OrchestratorAt): void {
  if (moves.state.gateway.at !== 'asking' || self.row === 'cancel') return;
  const next = moves.rules.decideStop(moves.journal(moves.state.turn));
  if (next.do !== 'commit_cancel') return;
  moves.go(`${me} hears Stop`, { [me]: { ...self, at: 'committing', row: 'cancel', n: next.n } });
}

function mishaps(moves: Moves, me: Orchestrator, self: OrchestratorAt): void {
  const { turn, queues } = moves.state;
  const isHeld = self.holds && moves.variant.broker === 'deliveries';
  const freed = isHeld ? { queues: { ...queues, advance: moves.more(queues.advance) } } : {};
  const orphaned = turn.driver === me ? { turn: { ...turn, driver: 'gone' as const } } : {};
  if (moves.variant.deaths)
    moves.go(`${me} dies`, { [me]: IDLE_ORCHESTRATOR, ...freed, ...orphaned }, 'fault');
  moves.go(`${me} forgets the turn`, { [me]: IDLE_ORCHESTRATOR, ...freed }, 'fault');
}
