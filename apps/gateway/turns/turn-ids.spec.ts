import { describe, expect, it } from '@jest/globals';
import { idSchema } from '#contracts';
import {
  firstConversationIdOf,
  followingConversationIdOf,
  namedConversationIdOf,
  turnIdOf,
} from './turn-ids.js';

describe('turn ids', () => {
  it('are the same for the same message and differ for any other', () => {
    expect(turnIdOf('conv_1', 'm1')).toBe(turnIdOf('conv_1', 'm1'));
    const ids = [
      turnIdOf('conv_1', 'm1'),
      turnIdOf('conv_1', 'm2'),
      turnIdOf('conv_2', 'm1'),
      turnIdOf('conv_1m', '1'),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toMatch(/^turn_[A-Za-z0-9_-]{22}$/);
  });

  it('have pinned values, because another version of the gateway must find the same turn', () => {
    expect(turnIdOf('conv_1', 'm1')).toBe('turn_i3Ike0k1q0FpWsZ-gLmJUK');
    expect(firstConversationIdOf('ann', 'm1')).toBe('conv_xYlRPYab4zitiz_3tnu1Ct');
    expect(namedConversationIdOf('ann', 'd', 'notes')).toBe('conv_a1owb7phb4xCbApMzH7rRS');
    expect(followingConversationIdOf('conv_1')).toBe('conv_SYfMuyx_kwLJTuu-1AnP_t');
  });

  it('are valid ids for any user name', () => {
    expect(idSchema.safeParse(firstConversationIdOf('ann@example.com / $x', '!~')).success).toBe(true);
  });
});
