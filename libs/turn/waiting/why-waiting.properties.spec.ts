import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WAIT_REASONS, type Journal, type Waiting } from '#contracts';
import { holderOf, openCalls } from '../journal/journal.js';
import { decide } from '../rules/decide.js';
import type { Liveness } from '../rules/liveness.js';
import { isSettled } from '../rules/sweep-rules.js';
import { Simulation } from '../testing/simulation.js';
import { Tape } from '../testing/tape.js';
import { choices } from '../testing/walks.js';
import { DEFAULT_BUDGETS } from '../rules/budgets.js';
import { START } from '../testing/rows.js';
import type { WaitSituation } from './wait-situation.js';
import { whyWaiting } from './why-waiting.js';

const me = 'gateway-1';

/** What an operator's gateway may know, drawn from the same choices as the walk. */
function situationFrom(tape: Tape, now: number): WaitSituation {
  const judged = new Map<string, Liveness>();
  const liveness = (id: string): Liveness => {
    if (!judged.has(id)) judged.set(id, tape.oneIn(4) ? 'dead' : 'alive');
    return judged.get(id)!;
  };
  const workers = tape.choose(3);
  const queue = { workers, calls: tape.choose(9), per_second: tape.choose(3) };
  return {
    now,
    me,
    liveness,
    deleted: tape.oneIn(20),
    earlier: tape.oneIn(20) ? { number: 1 } : undefined,
    fleet: {
      orchestrators: tape.choose(3),
      turnsQueued: tape.oneIn(5) ? undefined : tape.choose(50),
      queueOf: () => queue,
      isPaused: () => workers === 2,
    },
  };
}

/** As a store reads it for those who do not see content. */
function outlineOf({ turn, steps, claims, outcomes, answers }: Journal): Journal {
  return {
    turn: { ...turn, content: '' },
    steps: steps.map((step) => ({ ...step, blocks: [], usage: null })),
    claims,
    outcomes: outcomes.map((outcome) => ({ ...outcome, data: null, error: null, explanation: null })),
    answers,
  };
}

function checkReason(journal: Journal, waiting: Waiting | undefined, situation: WaitSituation): void {
  expect(waiting === undefined).toBe(isSettled(journal));
  if (!waiting) return;
  expect(WAIT_REASONS).toContain(waiting.reason);
  expect(waiting.text).toMatch(/^\S.*\.$/);
  expect(Date.parse(waiting.since)).toBeLessThanOrEqual(situation.now);
  const open = openCalls(journal).map(({ call }) => call.tool_call_id);
  if (waiting.tool_call_id !== undefined) expect(open).toContain(waiting.tool_call_id);
  const holder = holderOf(journal, waiting.tool_call_id ?? journal.turn._id);
  if (waiting.process !== undefined) expect(waiting.process).toBe(holder?.owner);
  const isAlive = holder !== undefined && situation.liveness(holder.owner) === 'alive';
  if (waiting.reason === 'running' || waiting.reason === 'model') expect(isAlive).toBe(true);
  if (waiting.reason.endsWith('_lost')) expect(isAlive).toBe(false);
  if (waiting.reason === 'queued' || waiting.reason === 'no_worker') expect(holder).toBeUndefined();
  if (waiting.reason === 'model')
    expect(decide(journal, { ...situation, budgets: DEFAULT_BUDGETS }).do).not.toBe('await_calls');
}

describe('why a turn waits', () => {
  it('has exactly one answer in every state of every walk, and every answer occurs', () => {
    const seen = new Set<string>();
    const property = fc.property(choices(400), choices(2_000), (walk, facts) => {
      const simulation = new Simulation(new Tape(walk));
      simulation.wander();
      const tape = new Tape(facts);
      const { frames, now } = simulation.world;
      for (const journal of frames.flatMap(({ journals }) => journals)) {
        const situation = situationFrom(tape, tape.oneIn(3) ? now : now + 7 * 86_400_000);
        const waiting = whyWaiting(journal, situation);
        checkReason(journal, waiting, situation);
        expect(whyWaiting(outlineOf(journal), situation)).toEqual(waiting);
        if (waiting) seen.add(waiting.reason);
      }
    });
    fc.assert(property, { numRuns: 60, seed: START });
    expect([...seen].sort()).toEqual([...WAIT_REASONS].sort());
  });
});
