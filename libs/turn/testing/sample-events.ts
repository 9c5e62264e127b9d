import type { CallView, ConversationEvent, EventOf } from '#contracts';
import { at, callId, CONVERSATION_ID } from './rows.js';

type Fields<T extends ConversationEvent['type']> = Partial<EventOf<T>>;

const DEFAULTS = {
  turn_queued: { number: 1, content: 'Question 1', client_message_id: 'message-1', by: 'user_1' },
  turn_started: { number: 1 },
  step_started: { step: 1, attempt: 100, settled: [] },
  token: { step: 1, attempt: 100, offset: 0, content: 'Hello' },
  thinking: { step: 1, attempt: 100, offset: 0, content: 'hm' },
  step_restarted: { step: 1, attempt: 101 },
  step_committed: { step: 1, attempt: 100, text_length: 5, calls: [] },
  waiting: { reason: 'busy', retry_after_ms: 500 },
  complete: {
    message_id: 'turn_1:1',
    content: 'Hello',
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 1 },
  },
  cancelled: { message: 'Stopped.' },
  error: { message: 'The model failed.', code: 'model_error' },
  approval_answered: { tool_call_id: callId(1), by: 'user_1', decision: 'approve' },
  input_required: {
    step: 1,
    tool_call_id: callId(1),
    number: 1,
    message: 'Which?',
    schema: {},
    expires_at: at(9_000),
  },
  input_answered: { tool_call_id: callId(1), number: 1, by: 'user_1', action: 'accept' },
  tool_progress: { step: 1, tool_call_id: callId(1), progress: 1 },
} as const;

/** A typical event of step 1 of the first turn. */
export function event<T extends keyof typeof DEFAULTS>(type: T, fields: Fields<T> = {}): ConversationEvent {
  const place = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', timestamp: at(0) };
  return { type, ...place, ...DEFAULTS[type], ...fields } as ConversationEvent;
}

const named = { tool_name: 'math.add', display_name: 'add', source: 'local' as const };

/** A call as `step_committed` announces it. */
export function callView(number: number, change: Partial<CallView> = {}): CallView {
  const args = { a: 2, b: 3 };
  return {
    tool_call_id: callId(number),
    ...named,
    toolset: 'math',
    state: 'queued',
    attempt: 0,
    args,
    ...change,
  };
}

const callPlace = (number: number) => ({
  conversation_id: CONVERSATION_ID,
  turn_id: 'turn_1',
  timestamp: at(400),
  step: 1,
  tool_call_id: callId(number),
  ...named,
});

export function toolStart(number: number, fields: Fields<'tool_start'> = {}): EventOf<'tool_start'> {
  const args = { tool_input: '{"a":2,"b":3}', tool_args: { a: 2, b: 3 }, toolset: 'math' };
  return { type: 'tool_start', ...callPlace(number), ...args, attempt: 1, ...fields };
}

export function toolQueued(number: number): EventOf<'tool_queued'> {
  return { ...toolStart(number), type: 'tool_queued', attempt: 0 };
}

export function toolComplete(number: number, fields: Fields<'tool_complete'> = {}): EventOf<'tool_complete'> {
  const end = { attempt: 1, worker: 'worker-1', duration_ms: 20, timestamp: at(500) };
  const result = { tool_result: '5', tool_output: '5', status: 'success' as const };
  return { type: 'tool_complete', ...callPlace(number), ...end, ...result, ...fields };
}

export function toolError(number: number, fields: Fields<'tool_error'> = {}): EventOf<'tool_error'> {
  const end = { attempt: 1, worker: 'worker-1', duration_ms: 20, timestamp: at(500) };
  const error = { error_type: 'TimeoutError', error_message: 'Too slow.' };
  return { type: 'tool_error', ...callPlace(number), ...end, ...error, ...fields };
}

export function approvalRequired(number: number): EventOf<'approval_required'> {
  const { display_name: _name, source: _source, ...place } = callPlace(number);
  return { type: 'approval_required', ...place, tool_args: { a: 2, b: 3 }, expires_at: at(9_000) };
}
