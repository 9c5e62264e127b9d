import { traceIdOf } from './traceparent.js';

/** Every span about a turn has them. */
export function turnAttributes(turn: { turn_id: string; conversation_id: string }) {
  return { 'switchyard.turn.id': turn.turn_id, 'gen_ai.conversation.id': turn.conversation_id };
}

/** Every log line about a turn has them. `trace_id` is undefined without a trace. */
export function turnLogFields({ _id, traceparent }: { _id: string; traceparent?: string }) {
  return { turn_id: _id, trace_id: traceIdOf(traceparent) };
}
