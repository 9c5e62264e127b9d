import type { Moves } from './moves.js';
import type { CallRows, Change, GatewayAt, TurnRows } from './state.js';

/** Stop, and Delete, which is the same after its mark. The gateway may die at any line; then nothing is acknowledged. */
export function gatewayMoves(moves: Moves): void {
  const { gateway, turn } = moves.state;
  switch (gateway.at) {
    case 'idle':
      if (gateway.acked === 'no' && moves.variant.user !== 'waits') press(moves);
      return;
    case 'asking':
      ask(moves, turn);
      break;
    case 'inserting':
      insertCancel(moves, gateway);
      break;
    case 'releasing':
      release(moves);
      break;
    case 'settling':
      settle(moves, gateway);
  }
  // The user may press it again, at another gateway.
  if (moves.variant.faults && moves.variant.deaths)
    moves.go(
      'gateway dies',
      { gateway: { at: 'idle', n: 0, call: 'a', outcome: 'none', acked: 'no' } },
      'fault',
    );
}

function press(moves: Moves): void {
  const { gateway, turn } = moves.state;
  const asking: GatewayAt = { ...gateway, at: 'asking' };
  if (moves.variant.user === 'stops') return moves.go('user presses Stop', { gateway: asking }, 'fault');
  const marked: TurnRows = turn.conversation === 'kept' ? { ...turn, conversation: 'marked' } : turn;
  moves.go('user deletes the conversation: marked', { gateway: asking, turn: marked }, 'fault');
}

function ask(moves: Moves, turn: TurnRows): void {
  const { gateway } = moves.state;
  if (turn.conversation === 'removed') return acknowledge(moves, 'gateway finds nothing left');
  const next = moves.rules.decideStop(moves.journal(turn));
  moves.go('gateway has waited for the driver', { gateway: after(gateway, next) });
}

function after(gateway: GatewayAt, next: { do: 'commit_cancel'; n: number } | { do: 'release' }): GatewayAt {
  return next.do === 'release'
    ? { ...gateway, at: 'releasing', n: 0 }
    : { ...gateway, at: 'inserting', n: next.n };
}

function insertCancel(moves: Moves, gateway: GatewayAt): void {
  const { turn } = moves.state;
  const number = gateway.n === 1 ? 'step1' : 'step2';
  const label = `gateway inserts cancel as row ${gateway.n}`;
  if (turn[number] === 'none') {
    const cancelled: TurnRows = { ...turn, [number]: 'cancel', told: true };
    const releasing: GatewayAt = { ...gateway, at: 'releasing', n: 0 };
    const change: Change = { turn: cancelled, gateway: releasing, ...moves.hinted() };
    if (moves.has('acked_before_release')) change.gateway = { ...releasing, acked: idle(moves).acked };
    if (moves.has('stop_without_release')) change.gateway = idle(moves);
    return moves.go(`${label}: wins`, change);
  }
  if (moves.has('cancel_under_own_key') && turn.step2 === 'final') {
    const both = { turn: { ...turn, step2: 'both' as const } };
    return moves.go(`${label}, next to the final one`, {
      ...both,
      gateway: { ...gateway, at: 'releasing', n: 0 },
    });
  }
  if (moves.has('lost_cancel_given_up')) return acknowledge(moves, `${label}: loses, gives up`);
  const known: TurnRows = gateway.n === 1 ? { ...turn, step2: 'none' } : turn;
  moves.go(`${label}: loses`, { gateway: after(gateway, moves.rules.decideStop(moves.journal(known))) });
}

/** Reads again, then claims or finds claimed every open call. */
function release(moves: Moves): void {
  const { turn } = moves.state;
  releaseAfterReading(moves, turn, moves.asked);
  const unclaimed = moves.askedBeforeItsClaim;
  if (unclaimed) releaseAfterReading(moves, turn, unclaimed);
}

function releaseAfterReading(moves: Moves, turn: TurnRows, call: CallRows | undefined): void {
  for (const { says, key, kind } of moves.judgeOwners(call)) {
    const decisions = moves.remember(`release|${moves.rowsKey()}|${call?.attempt}|${key}`, () =>
      moves.rules.decideCalls(moves.journal(turn, undefined, call), {
        ...moves.situation('none', says, 'early'),
        stopped: turn.step2 !== 'final',
      }),
    );
    const [decision] = decisions;
    if (!decision) return acknowledge(moves, 'gateway: no call is open');
    const { action } = decision;
    const name = turn.step1 === 'asks_a' ? ('a' as const) : ('b' as const);
    if (action.do === 'compete' && moves.state[name].attempt === 0) {
      const claimed = moves.settleClaim(moves.state[name], action.outcome);
      const { next, end } = moves.afterCompeting(name, claimed, action.outcome);
      const settling: GatewayAt = { ...moves.state.gateway, at: 'settling', call: name, outcome: end };
      const gateway = next === 'settle' ? settling : idle(moves);
      moves.go('gateway inserts a settle claim: wins', { [name]: claimed, gateway }, kind);
    } else {
      moves.carryOut('gateway', decision, { gateway: idle(moves) }, kind, says);
    }
  }
}

function settle(moves: Moves, gateway: GatewayAt): void {
  const { change, broken } = moves.settled(gateway.call, gateway.outcome);
  moves.go(
    'gateway inserts the outcome, acknowledges',
    { ...change, gateway: idle(moves) },
    'progress',
    broken,
  );
}

/** Done: the user is told. What had not been claimed to run by now must never start. */
function idle(moves: Moves): GatewayAt {
  const { a, b } = moves.state;
  const isClaimed = [a, b].some(({ purpose, attempt }) => purpose === 'run' && attempt > 0);
  return { at: 'idle', n: 0, call: 'a', outcome: 'none', acked: isClaimed ? 'claimed' : 'unclaimed' };
}

function acknowledge(moves: Moves, label: string): void {
  moves.go(`${label}, acknowledges`, { gateway: idle(moves) });
}
