import { describe, expect, it } from '@jest/globals';
import type { CallRate } from '#bootstrap';
import { RateLimits } from './rate-limits.js';

const MINUTE_MS = 60_000;
const perMinute = (calls: number): CallRate => ({ calls, perMs: MINUTE_MS });

function createLimits(rates: Record<string, CallRate>, fleet = { size: 1 }) {
  const clock = { ms: 0, now: () => clock.ms };
  const limits = new RateLimits(
    (name) => rates[name],
    () => fleet.size,
    clock,
  );
  return { limits, clock };
}

describe('rate limits', () => {
  it('let three calls start under a limit of three, and give the fourth a time to retry', () => {
    const { limits, clock } = createLimits({ 'web.search': perMinute(3) });
    const first = [1, 2, 3, 4].map(() => limits.take('web.search'));
    expect(first).toEqual([undefined, undefined, undefined, 20_000]);
    clock.ms = 20_000;
    expect(limits.take('web.search')).toBeUndefined();
  });

  it('do not limit a tool without a configured limit', () => {
    const { limits } = createLimits({ web: perMinute(1) });
    expect(Array.from({ length: 100 }, () => limits.take('math.add'))).toEqual(Array(100).fill(undefined));
  });

  it('of a toolset apply to all its tools together, in addition to the tool’s own', () => {
    const { limits } = createLimits({ web: perMinute(2), 'web.search': perMinute(1) });
    expect(limits.take('web.search')).toBeUndefined();
    expect(limits.take('web.search')).toBe(MINUTE_MS);
    // The refused call has not used up the toolset's.
    expect(limits.take('web.fetch')).toBeUndefined();
    expect(limits.take('web.fetch')).toBe(MINUTE_MS / 2);
  });

  it('are divided by the number of living workers', () => {
    const fleet = { size: 2 };
    const { limits } = createLimits({ web: perMinute(4) }, fleet);
    expect([1, 2, 3].map(() => limits.take('web.search'))).toEqual([undefined, undefined, 30_000]);
    fleet.size = 1;
    expect(limits.take('web.search')).toBe(15_000);
  });

  it('count a call that can no longer be refused, and forget one that did not start here', () => {
    const { limits } = createLimits({ web: perMinute(2) });
    limits.count('web.search');
    limits.count('web.search');
    expect(limits.take('web.search')).toBe(30_000);
    limits.giveBack('web.search');
    expect(limits.take('web.search')).toBeUndefined();
  });
});
