import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Journal } from '#contracts';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  journalOf,
  outcomeRow,
  START,
  stepRow,
} from '../testing/rows.js';
import { choices, simulate } from '../testing/walks.js';
import { replayOf } from './replay.js';

const claims = [claimRow('turn_1', 1, { owner: 'orchestrator-1', at: at(0) }), claimRow(callId(1))];
const asking = stepRow(1, 'Let me add.', [callRow(1)]);

function replay(rows: Partial<Journal>) {
  return replayOf(journalOf({ claims, ...rows }));
}

describe('the replay of a turn', () => {
  it('shows each step with what was asked, said, called and recorded', () => {
    const played = replay({ steps: [asking, stepRow(2, 'It is 5.')], outcomes: [outcomeRow(1)] });
    expect(played).toMatchObject({
      content: 'Question 1',
      status: 'completed',
      next: 'nothing',
      differences: [],
    });
    expect(played.steps).toMatchObject([
      {
        n: 1,
        asks_model: true,
        text: 'Let me add.',
        calls: [{ tool_name: 'math.add', args: { a: 2, b: 3 }, state: 'succeeded', result: '5' }],
      },
      { n: 2, asks_model: true, text: 'It is 5.', calls: [] },
    ]);
  });

  it('shows what a person was asked and answered', () => {
    const question = { message: 'Which?', schema: {}, expires_at: at(9_000) };
    const answers = [
      answerRow(1, 'input', { content: { city: 'Bern' }, at: at(400) }),
      answerRow(1, 'question', { question, by: 'worker-1' }),
      answerRow(2, 'approval', { decision: 'deny' }),
    ];
    const failed = outcomeRow(2, {
      status: 'failure',
      data: null,
      error: { error_type: 'PermissionError', error_message: 'Denied.' },
    });
    const steps = [stepRow(1, '', [callRow(1), callRow(2, { approval: 'required' })])];
    const [first, second] = replay({ steps, answers, outcomes: [failed] }).steps[0]!.calls;
    expect(first!.answers).toEqual([
      { question, by: 'worker-1', at: at(300) },
      { content: { city: 'Bern' }, by: 'user_1', at: at(400) },
    ]);
    expect(first!.result).toBeUndefined();
    expect(second).toMatchObject({
      answers: [{ decision: 'deny' }],
      error: { error_type: 'PermissionError', error_message: 'Denied.' },
    });
  });

  it('says what follows a turn that is not over', () => {
    const waits = stepRow(1, '', [callRow(1, { approval: 'required' })]);
    expect(replay({})).toMatchObject({ status: 'running', next: 'model', steps: [] });
    expect(replay({ steps: [asking] }).next).toBe('calls');
    expect(replay({ steps: [waits], claims: claims.slice(0, 1) }).next).toBe('person');
    expect(replay({ steps: [asking], outcomes: [outcomeRow(1)] }).next).toBe('model');
    const stopped = [asking, stepRow(2, '', [], { kind: 'cancel' })];
    expect(replay({ steps: stopped })).toMatchObject({ status: 'cancelled', next: 'calls', differences: [] });
  });

  it('names each step that the rules of this version would not have taken', () => {
    const orphan = replay({ steps: [asking, stepRow(2, 'It is 5.')] });
    expect(orphan.differences).toEqual([
      `Step 2 was recorded, but these calls before it have no outcome: ${callId(1)}.`,
    ]);
    const goesOn = replay({ steps: [stepRow(1, 'Done.'), stepRow(2, 'More.')] });
    expect(goesOn.differences).toEqual([
      'Step 2 was recorded, but by the rules of this version step 1 ended the turn.',
    ]);
    expect(replay({ steps: [stepRow(2, 'Done.')] }).differences).toEqual([
      'Step 2 was recorded where step 1 was due.',
    ]);
    const twice = stepRow(1, '', [callRow(1), callRow(1)]);
    const broken = replay({ steps: [twice, stepRow(2, 'Done.')], outcomes: [outcomeRow(1)] });
    expect(broken.differences).toEqual([
      expect.stringMatching(/^The request for step 2 would be refused: Message 2: .+/),
    ]);
  });

  it('says where no model was asked', () => {
    const turn = { ...journalOf().turn, options: { call: { tool_name: 'math.add', arguments: {} } } };
    expect(replay({ turn, steps: [asking] }).steps[0]!.asks_model).toBe(false);
    const cancelled = [stepRow(1, '', [], { kind: 'cancel' })];
    expect(replay({ steps: cancelled }).steps[0]!.asks_model).toBe(false);
  });

  it('agrees with every turn of every walk', () => {
    let steps = 0;
    const property = fc.property(choices(800), (walk) => {
      for (const journal of simulate(walk).world.journals) {
        const played = replayOf(journal);
        expect(played).toMatchObject({ differences: [], next: 'nothing' });
        steps += played.steps.length;
      }
    });
    fc.assert(property, { numRuns: 100, seed: START });
    expect(steps).toBeGreaterThan(100);
  });
});
