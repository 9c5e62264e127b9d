import type { Snapshot, TurnView, View } from '#contracts';
import { fittingView, isEnded } from '#turn';

/** Turns that a snapshot shows besides those that have not ended. */
export const TURNS_SHOWN = 20;
/** A feed keeps up to this many ended turns before it cuts its view, so that it rarely cuts. */
const TURNS_KEPT = 2 * TURNS_SHOWN;

export function snapshotOf(view: View, timestamp: string): Snapshot {
  return {
    type: 'snapshot',
    conversation_id: view.conversation_id,
    timestamp,
    view: fittingView(withNewestTurns(view)),
  };
}

/** Keeps the cost of an event independent of the number of turns since the feed began. */
export function trimmed(view: View): View {
  return view.turns.length > TURNS_KEPT ? withNewestTurns(view) : view;
}

function withNewestTurns(view: View): View {
  const surplus = view.turns.length - TURNS_SHOWN;
  if (surplus <= 0) return view;
  const isKept = (turn: TurnView, at: number): boolean => at >= surplus || !isEnded(turn);
  const turns = view.turns.filter(isKept);
  return turns.length === view.turns.length ? view : { ...view, turns, earlier: true };
}
