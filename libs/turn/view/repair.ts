import type { ConversationEvent, TurnView, View } from '#contracts';
import { toolEndOfView } from './tool-end.js';
import { hasEnded, isEnded } from './view-change.js';

/**
 * The ends (of calls, then of turns) that a view read from the store has and the view before it lacked, including those
 * of new turns. A viewer who is repaired by a snapshot gets them as events too, so that every end is announced.
 */
export function endsBetween(before: View, after: View, timestamp: string): ConversationEvent[] {
  const newest = before.turns.at(-1)?.number ?? 0;
  return after.turns.flatMap((turn) => {
    const old = before.turns.find((candidate) => candidate.turn_id === turn.turn_id);
    if (!old && turn.number <= newest) return [];
    const isNews = isEnded(turn) && !(old && isEnded(old));
    const turnEnd = isNews ? endOf(turn, after.conversation_id, timestamp) : undefined;
    const callEnds = callEndsBetween(old, turn, after.conversation_id, timestamp);
    return turnEnd ? [...callEnds, turnEnd] : callEnds;
  });
}

function callEndsBetween(
  old: TurnView | undefined,
  turn: TurnView,
  conversationId: string,
  timestamp: string,
): ConversationEvent[] {
  const told = new Set(
    old?.steps.flatMap((step) => step.calls.filter(hasEnded).map((call) => call.tool_call_id)),
  );
  return turn.steps.flatMap((step) =>
    step.calls
      .filter((call) => hasEnded(call) && !told.has(call.tool_call_id))
      .map((call) =>
        toolEndOfView(call, {
          conversation_id: conversationId,
          turn_id: turn.turn_id,
          step: step.n,
          timestamp,
        }),
      ),
  );
}

function endOf(turn: TurnView, conversationId: string, now: string): ConversationEvent {
  const fields = { conversation_id: conversationId, turn_id: turn.turn_id, timestamp: turn.ended_at ?? now };
  if (turn.status === 'failed') {
    const { code, message } = turn.error ?? { code: 'internal' as const, message: 'The turn failed.' };
    return { type: 'error', ...fields, code, message };
  }
  if (turn.status === 'cancelled') return { type: 'cancelled', ...fields, message: 'Stopped.' };
  return {
    type: 'complete',
    ...fields,
    message_id: turn.message_id ?? '',
    content: turn.steps.at(-1)?.text ?? '',
    usage: turn.usage ?? { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
    ...(turn.stop_reason && { stop_reason: turn.stop_reason }),
  };
}
