import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CallView, StepView, TurnView } from '#contracts';
import { toBusName } from '#tools';
import {
  ChatLines,
  type Answered,
  type ChatForm,
} from '../../apps/gateway/dialects/chat-artifacts/chat-lines.js';
import { LogLines } from '../../apps/gateway/dialects/chat-artifacts/log-lines.js';
import type { TurnNews } from '../../apps/gateway/dialects/stream/turn-stream.js';

/* Every kind of line of chat-artifacts-ndjson as it stands on the wire; UPDATE_GOLDEN=1 records it anew. */

const at = '2026-01-02T03:04:05.678Z';
const TRACE = '0123abcd';

function linesOf(form: ChatForm): ChatLines {
  let count = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
  const logs = new LogLines(TRACE, { now: () => 0 });
  return new ChatLines({ form, provider: 'claude', trace: TRACE, logs, timestamp: () => at, newId });
}

const call = (state: CallView['state'], more: Partial<CallView> = {}): CallView => ({
  tool_call_id: `call_${'A'.repeat(22)}`,
  tool_name: toBusName('Pub Med', 'search:all'),
  display_name: 'mcp:Pub Med:search:all',
  source: 'mcp',
  toolset: 'pub_med',
  state,
  attempt: 1,
  args: {},
  ...more,
});
const thought = call('running', {
  tool_name: 'thinking.sequentialthinking',
  display_name: 'mcp:thinking:sequentialthinking',
  toolset: 'thinking',
  args: { thought: 'First\nthis.', thoughtNumber: 1, totalThoughts: 3, nextThoughtNeeded: true },
});
const local: Partial<CallView> = {
  tool_name: 'math.add',
  display_name: 'add',
  source: 'local',
  toolset: 'math',
};
const error = { error_type: 'TimeoutError', error_message: `Too slow: ${'x'.repeat(200)}` };
const step = (calls: CallView[]): StepView => ({ n: 1, attempt: 100, text: '', committed: true, calls });
const turn = (status: TurnView['status'], more: Partial<TurnView> = {}): TurnView => ({
  turn_id: 'turn_1',
  number: 1,
  content: 'hello',
  by: 'ann',
  client_message_id: 'm1',
  status,
  at,
  steps: [],
  ...more,
});
const place = { conversation_id: 'conv_1', turn_id: 'turn_1', timestamp: at };
const log = { level: 'info', logger: 'pubmed' };
const ofCall = { step: 1, tool_call_id: `call_${'A'.repeat(22)}`, progress: 0 };

const NEWS: TurnNews[] = [
  { type: 'turn_started' },
  { type: 'step_started', step: 1 },
  { type: 'thinking', ...place, step: 1, attempt: 100, content: 'hm', offset: 0 },
  { type: 'waiting', ...place, reason: 'The model’s provider wants fewer requests.', retry_after_ms: 500 },
  { type: 'step_committed', step: step([call('queued')]) },
  { type: 'call_started', step: 1, call: call('running') },
  { type: 'call_started', step: 1, call: thought },
  { type: 'call_asks', step: 1, call: call('awaiting_approval', local) },
  { type: 'call_asks', step: 1, call: call('awaiting_input', local) },
  { type: 'tool_progress', ...place, ...ofCall, message: 'searching', log },
  { type: 'tool_progress', ...place, ...ofCall, message: 'half way' },
  { type: 'call_ended', step: 1, call: call('succeeded') },
  { type: 'call_ended', step: 1, call: call('failed', { ...local, error }) },
  { type: 'step_started', step: 2 },
  { type: 'step_restarted', step: 2 },
  { type: 'text', step: 2, text: 'Hi' },
  { type: 'step_committed', step: { ...step([]), n: 2 } },
  { type: 'step_started', step: 3 },
];
const ANSWERED: Answered = {
  thinking: 'Two papers.',
  parts: [
    { text: '_Status: of the art' },
    { artifact: { type: 'application/vnd.ant.code', title: 'Sum <1>', content: 'a + b', language: 'ts' } },
    { artifact: { type: 'image/png', title: 'Generated PNG', content: 'AAAA', metadata: { dpi: 300 } } },
  ],
};

const played = (form: ChatForm, end: TurnNews, answered?: Answered): unknown[] => {
  const lines = linesOf(form);
  const all = [...lines.opening(), ...NEWS.flatMap((news) => lines.next(news)), ...lines.next(end, answered)];
  // Each string is one line, ended by its newline.
  expect(all.every((line) => /^[^\n]+\n$/.test(line))).toBe(true);
  return all.map((line) => JSON.parse(line) as unknown);
};

describe('the lines of chat-artifacts-ndjson', () => {
  const completed: TurnNews = { type: 'turn_ended', turn: turn('completed') };
  const failed: TurnNews = {
    type: 'turn_ended',
    turn: turn('failed', { error: { code: 'model_error', message: 'The model is overloaded.' } }),
  };
  it.each([
    ['lines-completed', played('lines', completed, ANSWERED)],
    ['lines-empty', played('lines', completed, { parts: [] }).slice(-2)],
    ['lines-failed', played('lines', failed).slice(-2)],
    ['lines-stopped', played('lines', { type: 'turn_ended', turn: turn('cancelled') }).slice(-2)],
    ['lines-restarting', played('lines', { type: 'gateway_stopping' }).slice(-2)],
    ['result-completed', played('result', completed, ANSWERED)],
    ['result-empty', played('result', completed, { parts: [] }).slice(-2)],
    ['result-failed', played('result', failed).slice(-2)],
  ])('%s have not changed', (name, lines) => {
    const path = join(import.meta.dirname, 'golden/dialects/chat-artifacts-ndjson', `${name}.json`);
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify(lines, null, 2)}\n`);
    }
    expect(lines).toStrictEqual(JSON.parse(readFileSync(path, 'utf8')));
  });
});
