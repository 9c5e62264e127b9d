import { describe, expect, it } from '@jest/globals';
import type { TimelineEntry, TurnTimeline, Waiting } from '#contracts';
import { linesOf } from './timeline-lines.js';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const call = { tool_call_id: 'call_1', step: 1 };
const timeline: TimelineEntry[] = [
  { at: at(0), what: 'message', by: 'mira', about: { bytes: 214 } },
  { at: at(19), what: 'taken_up', by: 'orchestrator-12345678-0000-4000-8000-000000000000', attempt: 1 },
  {
    at: at(2_410),
    what: 'step',
    step: 1,
    about: { kind: 'model', calls: 1, input_tokens: 3_000, cached_tokens: 0 },
  },
  {
    at: at(2_410),
    what: 'call',
    ...call,
    about: {
      tool_name: 'web.search',
      class: 'read',
      approval: 'none',
      timeout_ms: 30_000,
      is_refused: false,
    },
  },
];
const turn = (change: Partial<TurnTimeline> = {}): TurnTimeline => ({
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  number: 1,
  user_id: 'mira',
  at: at(0),
  status: 'running',
  waiting: null,
  timeline,
  ...change,
});
const queued: Waiting = {
  reason: 'queued',
  text: '',
  since: at(2_410),
  until: at(62_410),
  tool_name: 'web.search',
  queue: { calls: 41, workers: 1, per_second: 1, estimate_ms: 41_000 },
};
const texts = (more: Partial<TurnTimeline>, nowMs = 5_000) =>
  linesOf(turn(more), Date.UTC(2026, 0, 1) + nowMs).map(({ code, text, facts }) =>
    [code, text, facts && `(${facts})`].filter(Boolean).join(' '),
  );

describe('the lines of a timeline', () => {
  it('say who did what, with what is unusual about it', () => {
    expect(texts({})).toEqual([
      'Message stored, turn begins (mira · 214 B)',
      'Taken up (orchestrator-12345678)',
      'Step 1 written (1 call · 3,000 tokens in)',
      'web.search asked for in step 1 (read · limit 30 s)',
    ]);
  });

  it('have the time of the first one, then the distance from it', () => {
    const times = linesOf(turn(), Date.UTC(2026, 0, 1)).map(({ time }) => time);
    expect(times).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d$/), '+ 19 ms', '+ 2.41 s', '+ 2.41 s']);
  });

  it('name take-overs by their evidence, and calls by their tool', () => {
    const more: TimelineEntry[] = [
      { at: at(3_000), what: 'taken_up', by: 'b', attempt: 2, about: { evidence: 'dead' } },
      { at: at(3_100), what: 'taken_up', by: 'c', attempt: 3 },
      { at: at(3_200), what: 'call_claimed', ...call, attempt: 2, about: { purpose: 'run' } },
      { at: at(3_300), what: 'call_claimed', ...call, attempt: 3, about: { purpose: 'settle' } },
      {
        at: at(3_400),
        what: 'call_ended',
        ...call,
        about: { status: 'failure', error_type: 'Timeout', duration_ms: 9 },
      },
      { at: at(3_500), what: 'call_ended', tool_call_id: 'call_2', about: { status: 'success' } },
    ];
    expect(texts({ timeline: [...timeline, ...more] }).slice(4)).toEqual([
      'Taken over: dead (b)',
      'Taken over, attempt 3 (c)',
      'web.search taken, attempt 2',
      'web.search will not run any more',
      'web.search ended: failure (Timeout · ran 9 ms)',
      'call_2 done',
    ]);
  });

  it('end with what it waits for, when that is given up, and when it starts at the present rate', () => {
    expect(texts({ waiting: queued }).slice(4)).toEqual([
      'web.search queued (41 calls in its queue · given up in 57 s)',
      'Starts, at the present rate',
    ]);
    expect(texts({ waiting: { reason: 'model', text: '', since: at(2_410) } }).slice(4)).toEqual(['model']);
  });

  it('show a long silence, also the one until now', () => {
    const late: TimelineEntry = { at: at(30_000), what: 'step', step: 2, about: { kind: 'cancel' } };
    expect(texts({ timeline: [...timeline, late], waiting: queued }, 45_000).slice(4, 7)).toEqual([
      '28 s without a change',
      'Step 2 written: cancel',
      '15 s without a change',
    ]);
  });
});
