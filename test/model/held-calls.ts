import type { CallDecision } from '#turn';
import { CALL_IDS, CLOCKS, type Clock } from './journal-of.js';
import type { Kind, Moves } from './moves.js';
import type { Change, Orchestrator } from './state.js';

/*
 * Fair shares: a driver may hold its call back, for as long as it likes. No state says so: at each decision it may hold
 * the call, have held it until now, or not have held it, and each message may have been published at any time before.
 */

/** Until when a driver has held its call back: not at all, still (`Infinity`), until now. */
export function mayHaveHeld(moves: Moves, clock: Clock): (number | undefined)[] {
  if (!moves.variant.holds) return [undefined];
  return moves.has('held_for_ever') ? [Infinity] : [undefined, Infinity, CLOCKS[clock]];
}

/** Until when the call of a message was held back: that is in the deadline which the message has. */
export function mayHaveBeenHeld(moves: Moves, clock: Clock): (number | undefined)[] {
  return moves.variant.holds && clock !== 'early' ? [undefined, CLOCKS[clock]] : [undefined];
}

/** The call is not published now; somebody may have published it before. */
export function hold(
  moves: Moves,
  me: Orchestrator,
  { call }: CallDecision,
  waits: Change,
  kind: Kind,
): void {
  if (!moves.has('held_call_given_up_alone')) return moves.go(`${me} holds its call`, waits, kind);
  const { change, broken } = moves.settled(call.tool_call_id === CALL_IDS.a ? 'a' : 'b', 'never_started');
  moves.go(`${me} gives its held call up`, { ...waits, ...change }, kind, broken);
}
