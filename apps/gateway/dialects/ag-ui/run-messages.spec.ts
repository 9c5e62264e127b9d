import { expect, it } from '@jest/globals';
import type { Step } from '#contracts';
import { answersOf } from './run-messages.js';

const step = (n: number, text: string, more: Partial<Step> = {}): Step => ({
  _id: `turn_1:${n}`,
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  turn_number: 1,
  n,
  attempt: 100,
  kind: 'model',
  blocks: text === '' ? [] : [{ type: 'text', text }],
  calls: [],
  stop_reason: 'end_turn',
  usage: null,
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});

it('AG-UI messages of a turn with a formatted answer contain that answer and not the text it replaces', () => {
  const steps = [
    step(1, 'Wait', { stop_reason: 'pause_turn' }),
    step(2, 'Five.'),
    step(3, 'It is five.', { final: true }),
  ];
  const journal = { turn: {}, steps, claims: [], outcomes: [], answers: [] } as unknown as Parameters<
    typeof answersOf
  >[0];
  const contents = (journalSteps: Step[]) =>
    answersOf({ ...journal, steps: journalSteps }).map((message) => 'content' in message && message.content);
  expect(contents(steps)).toEqual(['Wait', 'It is five.']);
  expect(contents(steps.slice(0, 2))).toEqual(['Wait', 'Five.']);
});
