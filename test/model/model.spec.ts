import { afterAll, describe, expect, it } from '@jest/globals';
import { explore, type Exploration } from './explore.js';
import { HARMLESS, MUTANTS } from './mutants.js';
import { MAX_QUICK_STATES, WORLDS } from './variants.js';

// Seconds on a machine of its own; the limit is for one that is shared by many.
const TIMEOUT_MS = 600_000;
let states = 0;

/** What a failed test prints: the promise, and every move on the shortest way to its breach. */
function story({ broken, trace }: Exploration): string {
  return broken ? [`"${broken}" is broken:`, ...trace].join('\n  ') : 'safe and live';
}

describe('claim and settle under deaths, losses, repetitions and wrong suspicions', () => {
  it.each(WORLDS.filter(({ isQuick }) => isQuick).map((world) => [world.variant.name, world] as const))(
    'keep every promise, and reach all intended ends and no others: %s',
    (_name, { variant, ends }) => {
      const found = explore(variant, MAX_QUICK_STATES);
      states += found.states;
      expect(story(found)).toBe('safe and live');
      expect(found.isComplete).toBe(true);
      expect([...found.ends].sort()).toEqual([...ends].sort());
      const maySuspect = variant.faults && !variant.alone && !variant.oneDriver;
      expect(found.repeatedModelCalls > 0).toBe(maySuspect);
    },
    TIMEOUT_MS,
  );

  afterAll(() => {
    expect(states).toBeLessThanOrEqual(MAX_QUICK_STATES);
  });
});

describe('the model without one of its rules', () => {
  it.each(MUTANTS.map((mutant) => [mutant.variant.name, mutant] as const))(
    'breaks a promise: %s',
    (_name, { variant, caughtBy }) => {
      const found = explore(variant, MAX_QUICK_STATES);
      expect(found.isComplete).toBe(true);
      expect(caughtBy).toContain(found.broken);
      expect(found.trace.length > 0 || found.broken === 'an end stays reachable').toBe(true);
    },
    TIMEOUT_MS,
  );
});

describe('the model without a rule that only saves work', () => {
  it.each(HARMLESS.map((variant) => [variant.name, variant] as const))(
    'keeps every promise: %s',
    (_name, variant) => {
      expect(story(explore(variant, MAX_QUICK_STATES))).toBe('safe and live');
    },
    TIMEOUT_MS,
  );
});
