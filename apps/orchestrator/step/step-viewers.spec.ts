import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent } from '#contracts';
import { NO_USAGE } from '#turn';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { StepPart } from '../ask/step-part.js';
import { StepViewers } from './step-viewers.js';

const ATTEMPT: StepPart = { type: 'attempt', attempt: 100, model: 'one/a', isRestart: false };
const RESTART: StepPart = { ...ATTEMPT, attempt: 101, isRestart: true };
const OVER: StepPart = { type: 'usage', model: 'one/a', usage: NO_USAGE };
const say = (text: string): StepPart => ({ type: 'text', text });

/** What viewers are told of these parts at once, each event by what matters of it. */
function told(parts: StepPart[], listener: 'follow' | 'followUnseen' = 'follow') {
  const events: ConversationEvent[] = [];
  const clock = new VirtualClock(new SeededRandom(1));
  const place = { conversation_id: 'conv_1', turn_id: 'turn_1', step: 2 };
  const viewers = new StepViewers(place, { clock, emit: (event) => events.push(event) });
  for (const part of parts) viewers[listener](part);
  const lines = events.map((event) => {
    if (event.type === 'token' || event.type === 'thinking') return `${event.type} ${event.content}`;
    if (event.type === 'waiting') return `waiting ${event.reason}`;
    return event.type;
  });
  return { lines, shown: viewers.shown };
}

describe('viewers of a step', () => {
  it('get a whole attempt before what follows it', () => {
    const wait: StepPart = { type: 'waiting', reason: 'Busy.', retryAfterMs: 1 };
    const thought: StepPart = { type: 'thinking', text: 'Hm.' };
    const { lines, shown } = told([ATTEMPT, thought, say('a'), say('b'), OVER, wait, RESTART, say('c')]);
    expect(lines).toEqual([
      'thinking Hm.',
      'token a',
      'token b',
      'waiting Busy.',
      'step_restarted',
      'token c',
    ]);
    expect(shown).toEqual({ step: 2, attempt: 101, text: 'c' });
  });

  it('get the names of fallback models in sentences', () => {
    const reasons = ['No credit left.', 'HTTP 503', 'Wait! '];
    const { lines } = told(reasons.map((reason) => ({ type: 'fallback', model: 'two/b', reason })));
    expect(lines).toEqual([
      'waiting No credit left. Continuing with two/b.',
      'waiting HTTP 503. Continuing with two/b.',
      'waiting Wait! Continuing with two/b.',
    ]);
  });

  it('get nothing of what a hidden request writes', () => {
    const { lines, shown } = told([RESTART, say('In short.'), OVER], 'followUnseen');
    expect(lines).toEqual(['step_restarted']);
    expect(shown).toEqual({ step: 2, attempt: 101, text: '' });
  });
});
