import { describe, expect, it } from '@jest/globals';
import { newConversation } from '../conversations/conversations.js';
import { canGoOn } from './go-on.js';

const HOUR_MS = 3_600_000;

describe('canGoOn', () => {
  const hours = (left: number) =>
    newConversation('conv_1', 'ann', { expiresAt: Date.now() + left * HOUR_MS });

  it('wants a conversation of the same user that is there, and stays for half a day', () => {
    expect(canGoOn(hours(24), 'ann')).toBe(true);
    expect(canGoOn(newConversation('conv_1', 'ann'), 'ann')).toBe(true);
    expect(canGoOn(hours(11), 'ann')).toBe(false);
    expect(canGoOn(hours(24), 'bob')).toBe(false);
    expect(canGoOn({ ...hours(24), deleted_at: new Date().toISOString() }, 'ann')).toBe(false);
    expect(canGoOn(null, 'ann')).toBe(false);
  });
});
