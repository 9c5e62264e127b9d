import { describe, expect, it } from '@jest/globals';
import { timestampOf } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { newConversation } from './conversations.js';
import { canContinue } from './continuation.js';

const HOUR_MS = 3_600_000;

describe('canContinue', () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const hours = (left: number) =>
    newConversation(clock, 'conv_1', 'ann', { expiresAt: clock.wall() + left * HOUR_MS });

  it('requires an existing conversation of the same user that stays for at least half a day', () => {
    expect(canContinue(clock, hours(24), 'ann')).toBe(true);
    expect(canContinue(clock, newConversation(clock, 'conv_1', 'ann'), 'ann')).toBe(true);
    expect(canContinue(clock, hours(11), 'ann')).toBe(false);
    expect(canContinue(clock, hours(24), 'bob')).toBe(false);
    expect(canContinue(clock, { ...hours(24), deleted_at: timestampOf(clock) }, 'ann')).toBe(false);
    expect(canContinue(clock, null, 'ann')).toBe(false);
  });
});
