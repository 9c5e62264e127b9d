import { describe, expect, it, jest } from '@jest/globals';

// What waits by these waits by the virtual clock, too.
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: <T>(ms: number, value?: T) => new Promise((resolve) => setTimeout(() => resolve(value), ms)),
  setImmediate: <T>(value?: T) => new Promise((resolve) => setImmediate(() => resolve(value))),
}));
const { runChaos } = await import('./run.js');

const LIMIT_MS = 120_000;
/** How many runs fit into a minute of a busy machine with two cores. */
const DEFAULT_SEEDS = '25';

/** `CHAOS_SEEDS=500` runs 1 … 500, `CHAOS_SEEDS=17..17` runs 17 again. */
function chosenSeeds(chosen = process.env.CHAOS_SEEDS || DEFAULT_SEEDS): number[] {
  const [, from, to] = /^(?:(\d+)\.\.)?(\d+)$/.exec(chosen) ?? [];
  if (to === undefined) throw new Error('CHAOS_SEEDS must be a number or two like 17..40');
  const first = Number(from ?? 1);
  return Array.from({ length: Math.max(0, Number(to) - first + 1) }, (_, i) => first + i);
}

describe('a fleet in which everything fails that may fail', () => {
  it.each(chosenSeeds())(
    'keeps every promise, seed %i',
    async (seed) => {
      const { summary, violations } = await runChaos(seed);
      expect({ summary, violations }).toEqual({ summary, violations: [] });
    },
    LIMIT_MS,
  );

  it(
    'has the same history again with the same seed',
    async () => {
      expect(await runChaos(1)).toEqual(await runChaos(1));
    },
    LIMIT_MS,
  );
});
