import {
  completeResult,
  type Answer,
  type Call,
  type Claim,
  type Journal,
  type Outcome,
  type Step,
  type Turn,
} from '#contracts';

export const CONVERSATION_ID = 'conv_1';
export const START = Date.parse('2026-01-01T00:00:00.000Z');

/** ISO 8601, this many milliseconds after the start of the test's world. */
export function at(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** `call_` + 22 characters. */
export function callId(number: number): string {
  return `call_${String(number).padStart(22, '0')}`;
}

export function turnRow(number = 1, change: Partial<Turn> = {}): Turn {
  return {
    _id: `turn_${number}`,
    conversation_id: CONVERSATION_ID,
    number,
    user_id: 'user_1',
    client_message_id: `message-${number}`,
    content: `Question ${number}`,
    options: {},
    at: at(0),
    status: 'queued',
    due_at: null,
    ...change,
  };
}

export function journalOf(rows: Partial<Journal> = {}): Journal {
  return { turn: turnRow(), steps: [], claims: [], outcomes: [], answers: [], ...rows };
}

export function callRow(number: number, change: Partial<Call> = {}): Call {
  return {
    tool_call_id: callId(number),
    tool_name: 'math.add',
    display_name: 'add',
    source: 'local',
    arguments: { a: 2, b: 3 },
    class: 'once',
    timeout_ms: 1_000,
    approval: 'none',
    ...change,
  };
}

/** A `model` step that says `text` and asks for `calls`. */
export function stepRow(n: number, text = '', calls: Call[] = [], change: Partial<Step> = {}): Step {
  return {
    _id: `turn_1:${n}`,
    turn_id: 'turn_1',
    conversation_id: CONVERSATION_ID,
    turn_number: 1,
    n,
    attempt: 100,
    kind: 'model',
    blocks: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({
        type: 'tool_use' as const,
        tool_call_id: call.tool_call_id,
        name: call.tool_name.replace('.', '__'),
        arguments: call.arguments,
      })),
    ],
    calls,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 1 },
    at: at(100 * n),
    ...change,
  };
}

export function claimRow(workId: string, n = 1, change: Partial<Claim> = {}): Claim {
  return {
    _id: `${workId}:${n}`,
    turn_id: 'turn_1',
    conversation_id: CONVERSATION_ID,
    owner: 'worker-1',
    n,
    purpose: 'run',
    at: at(50),
    ...change,
  };
}

export function outcomeRow(number: number, change: Partial<Outcome> = {}): Outcome {
  return {
    _id: callId(number),
    turn_id: 'turn_1',
    conversation_id: CONVERSATION_ID,
    n: 1,
    ...completeResult({ status: 'success', data: { value: 5 } }),
    attempt: 1,
    worker: 'worker-1',
    duration_ms: 20,
    at: at(500),
    ...change,
  };
}

export function answerRow(
  number: number,
  kind: 'approval' | 'question' | 'input',
  change: Partial<Answer> = {},
): Answer {
  return {
    _id: `${callId(number)}:${kind}`,
    turn_id: 'turn_1',
    conversation_id: CONVERSATION_ID,
    by: 'user_1',
    at: at(300),
    ...change,
  };
}
