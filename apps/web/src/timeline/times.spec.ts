import { describe, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { percentOf, ranMs, spanOf, startOf } from './times.js';

const at = (ms: number) => new Date(ms).toISOString();
const call = (change: Partial<CallView>) => ({ state: 'succeeded', attempt: 1, ...change }) as CallView;

describe('the times of a step', () => {
  it('span the first start to the last end, or to now while a call is open', () => {
    const done = call({ started_at: at(1_000), ended_at: at(3_000), duration_ms: 2_000 });
    const running = call({ state: 'running', started_at: at(2_000) });
    expect(spanOf([done], 9_000)).toEqual({ from: 1_000, to: 3_000 });
    expect(spanOf([done, running], 9_000)).toEqual({ from: 1_000, to: 9_000 });
    expect(spanOf([call({ state: 'queued' })], 9_000)).toBeUndefined();
  });

  it('derive the start when none was announced', () => {
    expect(startOf(call({ ended_at: at(3_000), duration_ms: 500 }))).toBe(2_500);
  });

  it('omit a call that never ran', () => {
    const never = call({ state: 'cancelled', attempt: 0, ended_at: at(3_000), duration_ms: 0 });
    expect([startOf(never), ranMs(never, 9_000), spanOf([never], 9_000)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('count a running call until now, and never backwards', () => {
    const running = call({ state: 'running', started_at: at(2_000) });
    expect(ranMs(running, 2_700)).toBe(700);
    expect(ranMs(running, 1_000)).toBe(0);
    expect(ranMs(call({ state: 'queued' }), 1_000)).toBeUndefined();
  });

  it('stay within the lane', () => {
    expect(percentOf(500, { from: 1_000, to: 2_000 })).toBe(0);
    expect(percentOf(1_250, { from: 1_000, to: 2_000 })).toBe(25);
    expect(percentOf(1_000, { from: 1_000, to: 1_000 })).toBe(0);
  });
});
