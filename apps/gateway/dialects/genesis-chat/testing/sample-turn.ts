import type { CallView, StepView, TurnView } from '#contracts';

export const PLACE = { conversation_id: 'conv_1', turn_id: 'turn_1' };

export function aCall(id: string, more: Partial<CallView> = {}): CallView {
  return {
    tool_call_id: `call_${id.padEnd(22, '0')}`,
    tool_name: 'math.multiply',
    display_name: 'multiply',
    source: 'local',
    toolset: 'math',
    state: 'running',
    attempt: 1,
    args: { a: 5, b: 3 },
    started_at: '2026-01-01T00:00:01.000Z',
    ...more,
  };
}

export function succeeded(call: CallView, result: string): CallView {
  return { ...call, state: 'succeeded', result, ended_at: '2026-01-01T00:00:02.000Z', duration_ms: 12 };
}

export function failed(call: CallView, error_message: string): CallView {
  const error = { error_type: 'ToolExecutionError', error_message };
  return { ...call, state: 'failed', error, ended_at: '2026-01-01T00:00:02.000Z', duration_ms: 12 };
}

export function aStep(n: number, text: string, calls: CallView[] = []): StepView {
  return { n, attempt: 100, text, committed: true, calls };
}

export function aTurn(status: TurnView['status'], more: Partial<TurnView> = {}): TurnView {
  return {
    turn_id: PLACE.turn_id,
    number: 1,
    content: 'what is 5 times 3?',
    by: 'u1',
    client_message_id: 'm1',
    status,
    at: '2026-01-01T00:00:00.000Z',
    steps: [],
    ...more,
  };
}
