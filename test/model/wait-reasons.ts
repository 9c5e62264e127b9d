import type { ToolClass } from '#contracts';
import { endingStep, openCalls, whyWaiting } from '#turn';
import { journalOf, CLOCKS } from './journal-of.js';
import { askedCall, type CallRows, type State, type TurnRows } from './state.js';
import type { Variant } from './variant.js';

const FLEET = {
  orchestrators: 1,
  turnsQueued: 0,
  queueOf: () => ({ workers: 1, calls: 0, per_second: 0 }),
  isPaused: () => false,
};

/** Many states have the same rows, and equal rows are one object. */
const known = new WeakMap<TurnRows, WeakMap<TurnRows | CallRows, boolean>>();

/** Whether an operator is told why the turn waits, exactly as long as it is not over. */
export function isExplained({ turn, a, b }: State, { toolClass }: Variant): boolean {
  if (turn.conversation === 'removed') return true;
  const asked = askedCall(turn);
  const call = asked && (asked === 'a' ? a : b);
  const ofTurn = known.get(turn) ?? new WeakMap<TurnRows | CallRows, boolean>();
  known.set(turn, ofTurn);
  const found = ofTurn.get(call ?? turn) ?? explain(turn, call, toolClass);
  ofTurn.set(call ?? turn, found);
  return found;
}

function explain(turn: TurnRows, call: CallRows | undefined, toolClass: ToolClass): boolean {
  const journal = journalOf(turn, call, toolClass);
  const deleted = turn.conversation === 'marked';
  const situation = { now: CLOCKS.late, me: 'gateway-1', deleted, fleet: FLEET };
  const isOver = endingStep(journal) !== undefined && openCalls(journal).length === 0;
  return (['alive', 'dead'] as const).every(
    (says) => (whyWaiting(journal, { ...situation, liveness: () => says }) === undefined) === isOver,
  );
}
