import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Journal } from '#contracts';
import { endingStep, holderOf, openCalls, outcomeOf } from '../journal/journal.js';
import { Simulation } from '../testing/simulation.js';
import { Tape } from '../testing/tape.js';
import { choices, simulate } from '../testing/walks.js';
import { assertTranscript } from '../transcript/transcript-invariant.js';
import { appendMessages, messagesOfTurn } from '../transcript/transcript.js';
import type { ModelMessage } from '../transcript/model-message.js';
import type { Action } from './decide.js';

function checkDecision(journal: Journal, action: Action): void {
  if (action.do === 'call_model') {
    expect(openCalls(journal)).toEqual([]);
    assertTranscript(messagesOfTurn(journal));
  }
  if (action.do !== 'await_calls' && action.do !== 'end') return;
  for (const { call, action: next } of action.calls) {
    const holder = holderOf(journal, call.tool_call_id);
    if (next.do === 'nothing' || next.do === 'await_person') continue;
    expect(outcomeOf(journal, call.tool_call_id)).toBeUndefined();
    if (next.do === 'publish') expect(holder?.purpose).not.toBe('settle');
    if (next.do === 'publish' && holder) expect(call.class).not.toBe('once');
    if (next.do === 'compete') expect(holder).toBeUndefined();
    if (next.do === 'settle') expect(holder).toBeDefined();
    if (next.do === 'settle' && holder?.purpose === 'settle') expect(next.outcome).toBe(holder.decides);
  }
}

describe('decide', () => {
  it('asks the model only with every call answered, and never starts a settled or started call', () => {
    const property = fc.property(choices(800), (walk) => {
      const simulation = new Simulation(new Tape(walk));
      simulation.world.onDecision = checkDecision;
      simulation.wander();
      simulation.settleDown();
      for (const { steps } of simulation.world.journals) {
        for (const call of steps.flatMap((step) => step.calls)) {
          if (call.class !== 'once') continue;
          expect(simulation.workers.starts.get(call.tool_call_id) ?? 0).toBeLessThanOrEqual(1);
        }
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('ends every turn and every call from any state once every participant acts', () => {
    const property = fc.property(choices(800), (walk) => {
      const simulation = new Simulation(new Tape(walk));
      simulation.wander();
      expect(simulation.settleDown(40)).toBeLessThan(40);
      expect(simulation.world.isQuiet).toBe(true);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('the transcript', () => {
  it('of ended turns is valid for every provider, whatever outcomes of stopped turns arrive later', () => {
    let late = 0;
    const property = fc.property(choices(800), (walk) => {
      const { world } = simulate(walk);
      const all: ModelMessage[] = [];
      const atEnd: ModelMessage[] = [];
      for (const journal of world.journals) {
        appendMessages(all, messagesOfTurn(journal));
        const first = world.frames.find(({ journals }) => hasEnded(journals, journal.turn._id))!;
        const then = first.journals.find(({ turn }) => turn._id === journal.turn._id)!;
        late += journal.outcomes.length - then.outcomes.length;
        appendMessages(atEnd, messagesOfTurn(then));
        assertTranscript(all);
      }
      expect(all).toEqual(atEnd);
    });
    fc.assert(property, { numRuns: 200 });
    expect(late).toBeGreaterThan(0);
  });
});

function hasEnded(journals: Journal[], turnId: string): boolean {
  return journals.some((journal) => journal.turn._id === turnId && endingStep(journal) !== undefined);
}
