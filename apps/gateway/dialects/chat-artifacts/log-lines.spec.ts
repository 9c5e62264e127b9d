import { expect, it } from '@jest/globals';
import type { EventOf } from '#contracts';
import { LogLines } from './log-lines.js';

const event = (message: string, log?: EventOf<'tool_progress'>['log']): EventOf<'tool_progress'> => ({
  type: 'tool_progress',
  conversation_id: 'c',
  turn_id: 't',
  timestamp: '2026-01-01T00:00:00.000Z',
  step: 1,
  tool_call_id: `call_${'A'.repeat(22)}`,
  progress: 0,
  message,
  ...(log ? { log } : {}),
});
const log = { level: 'info', logger: 'pubmed' };

it('a log message names its logger and its turn and is bounded; progress is not logged', () => {
  const lines = new LogLines('0123abcd', { now: () => 0 });
  expect(lines.next(event('searching', log))).toBe('[pubmed:0123abcd] searching');
  expect(lines.next(event('x'.repeat(900), log))).toHaveLength(500);
  expect(lines.next(event('half way'))).toBeUndefined();
});

it('log messages are limited to ten a second', () => {
  let now = 0;
  const lines = new LogLines('0123abcd', { now: () => now });
  const shown = () => lines.next(event('x', log)) !== undefined;
  expect(Array.from({ length: 12 }, shown).filter(Boolean)).toHaveLength(10);
  now = 999;
  expect(shown()).toBe(false);
  now = 1_000;
  expect(Array.from({ length: 12 }, shown).filter(Boolean)).toHaveLength(10);
});
