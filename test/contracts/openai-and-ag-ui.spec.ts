import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CallView, StepView, TurnView } from '#contracts';
import { toData } from '../../apps/gateway/dialects/ag-ui/ag-ui-event.js';
import { interruptsOf } from '../../apps/gateway/dialects/ag-ui/interrupts.js';
import { RunEvents } from '../../apps/gateway/dialects/ag-ui/run-events.js';
import { CompletionChunks } from '../../apps/gateway/dialects/openai/completion-chunks.js';
import { toCompletion } from '../../apps/gateway/dialects/openai/completion.js';
import { serverStopping } from '../../apps/gateway/dialects/openai/completion-end.js';
import type { TurnNews } from '../../apps/gateway/dialects/stream/turn-stream.js';
import { readGolden } from './golden.js';

/*
 * Every field of these wires, for one turn with everything in it. Additive changes are recorded with UPDATE_GOLDEN=1,
 * any other one breaks clients.
 */

const AT = '2026-01-02T03:04:05.678Z';
const fields = { conversation_id: 'conv_1', turn_id: 'turn_1', timestamp: AT };
const usage = { input_tokens: 100, output_tokens: 20, cached_tokens: 60 };

function call(id: string, change: Partial<CallView>): CallView {
  const tool_call_id = `call_${id.padEnd(22, '0')}`;
  const names = { tool_name: 'math.add', display_name: 'add', source: 'local' as const, toolset: 'math' };
  return { tool_call_id, ...names, state: 'succeeded', attempt: 1, args: { a: 1, b: 2 }, ...change };
}

const good = call('A', { result: '3' });
const bad = call('B', { state: 'failed', error: { error_type: 'TimeoutError', error_message: 'Too slow.' } });
const first: StepView = { n: 1, attempt: 100, text: 'Let me see.', committed: true, calls: [good, bad] };
const second: StepView = { n: 2, attempt: 100, text: 'It is 3.', committed: true, calls: [] };
const turn: TurnView = {
  ...{ turn_id: 'turn_1', number: 1, content: 'what is 1 + 2?', by: 'ann', client_message_id: 'm-1', at: AT },
  ...{ status: 'completed', usage, steps: [first, second] },
};
const NEWS: TurnNews[] = [
  { type: 'turn_started' },
  { type: 'step_started', step: 1 },
  { type: 'thinking', ...fields, step: 1, attempt: 100, offset: 0, content: 'Well.' },
  { type: 'text', step: 1, text: 'Let me ' },
  { type: 'text', step: 1, text: 'see.' },
  { type: 'step_committed', step: first },
  { type: 'call_started', step: 1, call: good },
  { type: 'tool_progress', ...fields, step: 1, tool_call_id: good.tool_call_id, progress: 1, total: 2 },
  { type: 'call_ended', step: 1, call: good },
  { type: 'call_ended', step: 1, call: bad },
  { type: 'step_started', step: 2 },
  { type: 'waiting', ...fields, reason: 'rate_limited', retry_after_ms: 2_000 },
  { type: 'text', step: 2, text: 'It is 3.' },
  { type: 'step_committed', step: second },
];
const ENDED: TurnNews = { type: 'turn_ended', turn };

const HEAD = { id: 'chatcmpl-1', created: 1_767_323_045, model: 'switchyard' };
const PLACE = { threadId: 'thread', runId: 'run', conversation_id: 'conv_1', turn_id: 'turn_1' };

function stream(): string[] {
  const chunks = new CompletionChunks(HEAD, true);
  return [...NEWS.flatMap((news) => chunks.next(news)), ...chunks.end(turn, 'end_turn')];
}

function run(): string[] {
  const events = new RunEvents(PLACE);
  const told = [...events.begin([], []), ...[...NEWS, ENDED].flatMap((news) => events.next(news))];
  return told.map(toData);
}

function askingRun(): string[] {
  const approval = call('C', { state: 'awaiting_approval', expires_at: AT });
  const question = { number: 1, message: 'Which one?', schema: { type: 'object', properties: {} } };
  const asking = call('D', { state: 'awaiting_input', expires_at: AT, question });
  const step = { ...first, calls: [approval, asking] };
  const events = new RunEvents(PLACE);
  const told = [...NEWS.slice(0, 5), { type: 'step_committed' as const, step }].flatMap((news) =>
    events.next(news),
  );
  const interrupts = interruptsOf({ ...turn, status: 'awaiting_input', steps: [step] });
  return [...told, ...events.interrupt(interrupts)].map(toData);
}

function restartedRun(): string[] {
  const events = new RunEvents(PLACE);
  const known = [{ id: 'u', role: 'user' as const, content: 'what is 1 + 2?' }];
  const restarted = NEWS.slice(0, 4).flatMap((news) => events.next(news));
  return [...restarted, ...events.restart(known), events.fail('Down.', 'model_error')].map(toData);
}

const WIRES: Record<string, () => unknown> = {
  'openai-stream': stream,
  'openai-completion': () => toCompletion(HEAD, turn, 'end_turn'),
  'openai-broken': () => new CompletionChunks(HEAD, false).fail(serverStopping()),
  'ag-ui-run': run,
  'ag-ui-asking': askingRun,
  'ag-ui-restarted': restartedRun,
};

describe('the wire', () => {
  it.each(Object.keys(WIRES))('%s has not changed', (name) => {
    const written = JSON.parse(JSON.stringify(WIRES[name]!())) as unknown;
    if (process.env.UPDATE_GOLDEN === '1') {
      const file = join(import.meta.dirname, 'golden', 'dialects', `${name}.json`);
      writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
    }
    expect(written).toStrictEqual(readGolden(`dialects/${name}`));
  });
});
