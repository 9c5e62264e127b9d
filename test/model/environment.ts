import type { Moves } from './moves.js';
import { hasEnded, NO_HISTORY, type CallRows } from './state.js';

/** The sweeper: its actions are single publishes and inserts, so it needs no state; two sweepers are no more than one. */
export function sweeperMoves(moves: Moves): void {
  const { turn } = moves.state;
  if (!moves.variant.timers || !moves.variant.sweeper) return;
  if (turn.conversation !== 'kept') remove(moves);
  if (!turn.due || turn.conversation === 'removed') return;
  for (const clock of moves.clocks) {
    for (const { says, key, kind } of moves.judgeOwners(moves.asked)) {
      const action = moves.remember(`sweep|${moves.rowsKey()}|${key}|${clock}`, () =>
        moves.rules.decideSweep(moves.journal(turn), moves.situation('none', says, clock)),
      );
      if (action.do === 'finish') {
        for (const call of action.calls) moves.carryOut('sweeper', call, {}, kind, says);
        if (hasEnded(turn))
          moves.go('sweeper tells of the end', { turn: { ...turn, ...moves.ended() } }, kind);
      } else if (action.do === 'wake') moves.go('sweeper hints', moves.hinted());
    }
  }
}

/** Content of a marked conversation goes when its turns have ended and no call is open; late rows go, too. */
function remove(moves: Moves): void {
  const { turn, a, b } = moves.state;
  const isReady =
    turn.conversation === 'removed' ||
    (moves.has('removed_with_open_calls') ? hasEnded(turn) : hasEnded(turn) && moves.ended().due === false);
  if (!isReady) return;
  const without = (call: CallRows): CallRows =>
    moves.has('claims_removed')
      ? {
          ...call,
          ...NO_HISTORY,
          attempt: 0,
          owner: 'none',
          purpose: 'run',
          decides: 'none',
          outcome: 'none',
        }
      : { ...call, decides: 'none', outcome: 'none' };
  // Numbers stay taken: whoever loses an insert against one reads an end.
  const emptied = (step: string) => (step === 'none' || moves.has('step_ids_removed') ? 'none' : 'cancel');
  moves.go('sweeper removes the content', {
    turn: {
      ...turn,
      step1: emptied(turn.step1),
      step2: emptied(turn.step2),
      conversation: 'removed',
      due: false,
      told: true,
    },
    a: without(a),
    b: without(b),
  });
}

/** The broker loses what it has, and delivers it twice. */
export function brokerMoves(moves: Moves): void {
  const { queues } = moves.state;
  if (!moves.variant.faults) {
    // Without any fault a client may still send its message again: the same turn, hinted again.
    return moves.go(
      'client sends again',
      { queues: { ...queues, advance: moves.more(queues.advance) } },
      'fault',
    );
  }
  for (const name of ['advance', 'call_a', 'call_b'] as const) {
    if (queues[name] === 0) continue;
    moves.go(`broker loses ${name}`, { queues: { ...queues, [name]: queues[name] - 1 } }, 'fault');
    if (moves.variant.broker === 'deliveries')
      moves.go(
        `broker repeats ${name}`,
        { queues: { ...queues, [name]: moves.more(queues[name]) } },
        'fault',
      );
  }
}
