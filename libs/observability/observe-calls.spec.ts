import { describe, expect, it } from '@jest/globals';
import { observeCalls } from './observe-calls.js';

describe('observeCalls', () => {
  class Counter {
    private count = 0;
    add(by: number): Promise<number> {
      if (by < 0) return Promise.reject(new Error('negative'));
      return Promise.resolve((this.count += by));
    }
    value(): number {
      return this.count;
    }
  }

  it('reports resolved and rejected promises, and returns the answers unchanged', async () => {
    const calls: string[] = [];
    let now = 0;
    const clock = { now: () => (now += 250) };
    const counter = observeCalls(new Counter(), clock, ({ method, outcome, seconds }) => {
      expect(seconds).toBe(0.25);
      calls.push(`${method} ${outcome}`);
    });
    expect(await counter.add(2)).toBe(2);
    await expect(counter.add(-1)).rejects.toThrow('negative');
    expect(counter.value()).toBe(2);
    expect(calls).toEqual(['add ok', 'add error']);
  });
});
