import { describe, expect, it, jest } from '@jest/globals';

jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: <T>(ms: number, value?: T) => new Promise((resolve) => setTimeout(() => resolve(value), ms)),
  setImmediate: <T>(value?: T) => new Promise((resolve) => setImmediate(() => resolve(value))),
}));
const { runChaos } = await import('./run.js');

describe('the whole turn machine under chaos', () => {
  const [from, to] = (process.env.CHAOS_SEEDS ?? '1..3').split('..').map(Number);
  for (let seed = from!; seed <= (to ?? from!); seed++) {
    it(`keeps every promise with seed ${seed}`, async () => {
      const startedAt = performance.now();
      const { violations, summary } = await runChaos(seed);
      console.log(seed, summary, Math.round(performance.now() - startedAt), 'ms');
      expect(violations).toEqual([]);
    }, 120_000);
  }
});
