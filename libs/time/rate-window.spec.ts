import { describe, expect, it } from '@jest/globals';
import { RateWindow, type RateWindowLimits } from './rate-window.js';

function setUp(limits: Partial<RateWindowLimits> = {}) {
  const time = { now: 0 };
  return { time, window: new RateWindow({ now: () => time.now }, { windowMs: 1_000, ...limits }) };
}

describe('RateWindow', () => {
  it('counts each amount for its own time, separately for each key', () => {
    const { time, window } = setUp();
    window.add('a', 2);
    time.now = 400;
    window.add('a', 3);
    window.add('b', 1);
    expect([window.sumOf('a'), window.sumOf('b'), window.sumOf('c'), window.size]).toEqual([5, 1, 0, 3]);
    time.now = 999;
    expect(window.sumOf('a')).toBe(5);
    time.now = 1_000;
    expect([window.sumOf('a'), window.size]).toEqual([3, 2]);
    time.now = 1_400;
    expect([window.sumOf('a'), window.size, window.nextEndMs]).toEqual([0, 0, 0]);
  });

  it('returns the time until there is room, and until an amount ends', () => {
    const { time, window } = setUp();
    window.add('a', 2);
    time.now = 400;
    window.add('a', 3);
    expect([6, 5, 4, 3, 1].map((limit) => window.waitMs('a', limit))).toEqual([0, 600, 600, 1_000, 1_000]);
    expect(window.nextEndMs).toBe(600);
  });

  it('counts an amount for a later time until then', () => {
    const { time, window } = setUp();
    window.add('a', 1, { laterMs: 1_000 });
    window.add('a', 1);
    time.now = 1_000;
    expect([window.sumOf('a'), window.waitMs('a', 1)]).toEqual([1, 1_000]);
    time.now = 2_000;
    expect(window.sumOf('a')).toBe(0);
  });

  it('ends a slice as a whole, and begins the next one with the next amount', () => {
    const { time, window } = setUp({ sliceMs: 1_000 });
    window.add('a', 1);
    time.now = 999;
    window.add('a', 2);
    expect([window.sumOf('a'), window.size, window.waitMs('a', 1)]).toEqual([3, 1, 1]);
    time.now = 1_000;
    window.add('a', 4);
    time.now = 1_999;
    expect(window.sumOf('a')).toBe(4);
  });

  it('takes back the last amount of its source', () => {
    const { window } = setUp();
    window.add('a', 2, { source: 'here' });
    window.add('a', 3, { source: 'there' });
    window.add('a', 4, { source: 'there' });
    window.add('b', 9, { source: 'here' });
    expect(window.takeBack('a', 'here')).toBe(2);
    expect(window.takeBack('a', 'here')).toBe(0);
    expect(window.takeBack('a', 'there', 5)).toBe(5);
    expect([window.sumOf('a'), window.sumOf('b'), window.size]).toEqual([2, 9, 2]);
    expect(window.takeBack('a', 'there', 5)).toBe(2);
    expect(window.sumOf('a')).toBe(0);
  });

  it('begins another slice for amounts after one was taken back', () => {
    const { window } = setUp({ sliceMs: 1_000 });
    window.add('a', 2);
    window.takeBack('a', '');
    window.add('a', 3);
    expect([window.sumOf('a'), window.size]).toEqual([3, 1]);
  });
});
