import { describe, expect, it } from '@jest/globals';
import { timestampOf } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { newConversation } from './conversations.js';
import { canGoOn } from './go-on.js';

const HOUR_MS = 3_600_000;

describe('canGoOn', () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const hours = (left: number) =>
    newConversation(clock, 'conv_1', 'ann', { expiresAt: clock.wall() + left * HOUR_MS });

  it('wants a conversation of the same user that is there, and stays for half a day', () => {
    expect(canGoOn(clock, hours(24), 'ann')).toBe(true);
    expect(canGoOn(clock, newConversation(clock, 'conv_1', 'ann'), 'ann')).toBe(true);
    expect(canGoOn(clock, hours(11), 'ann')).toBe(false);
    expect(canGoOn(clock, hours(24), 'bob')).toBe(false);
    expect(canGoOn(clock, { ...hours(24), deleted_at: timestampOf(clock) }, 'ann')).toBe(false);
    expect(canGoOn(clock, null, 'ann')).toBe(false);
  });
});
