import { expect } from '@jest/globals';
import type { CallView, ConversationEvent, TurnView, View } from '#contracts';
import { emptyView, reduceEvent } from '../view/reduce.js';
import { at, callId, CONVERSATION_ID } from './rows.js';
import { callView, event } from './sample-events.js';

/** The view after events none of which is a gap. */
export const after = (...events: ConversationEvent[]): View =>
  events.reduce<View>((view, next) => {
    const reduced = reduceEvent(view, next);
    expect(reduced.verdict).not.toBe('gap');
    return reduced.view;
  }, emptyView(CONVERSATION_ID));

/** A turn whose first step has begun, … */
export const STARTED = [
  event('turn_queued'),
  event('turn_started', { timestamp: at(50) }),
  event('step_started'),
];
/** … has said `Hello`, … */
export const SAID = [...STARTED, event('token')];
/** … and is committed with these calls. */
export const committed = (...calls: CallView[]) => [...SAID, event('step_committed', { calls })];
export const ASKED = committed(callView(1), callView(2));

export const turnOf = (view: View): TurnView => view.turns[0]!;
export const callOf = (view: View, number = 1): CallView =>
  turnOf(view).steps[0]!.calls.find((call) => call.tool_call_id === callId(number))!;

/** The verdict on `next`; the view may change only if the verdict is `applied`. */
export function verdictOn(events: ConversationEvent[], next: ConversationEvent): string {
  const view = after(...events);
  const reduced = reduceEvent(view, next);
  if (reduced.verdict === 'applied') expect(reduced.view).not.toBe(view);
  else expect(reduced.view).toBe(view);
  return reduced.verdict;
}
