import { describe, expect, it } from '@jest/globals';
import { toGrant } from './user-access.js';

const clock = { wall: () => 1_000 };
const client = { client_id: 'us' };
const grantOf = (more: object) =>
  toGrant({ access_token: 'a-token', token_type: 'Bearer', ...more }, { client }, clock);

describe('what an issuer gives', () => {
  it.each([
    [60, 61_000],
    [0, 1_000],
    [-5, 1_000],
    [1e308, 1_000 + 366 * 86_400_000],
    [NaN, undefined],
    [undefined, undefined],
  ])('that lives for %p seconds ends at %p', (expires_in, at) => {
    expect(grantOf({ expires_in }).expires_at).toBe(at);
  });

  it.each(['a b', 'a\nb', 'ä', '', 'x'.repeat(16_385)])('is refused when it cannot be sent: %j', (token) => {
    expect(() => grantOf({ access_token: token })).toThrow('cannot be sent');
    expect(() => grantOf({ refresh_token: token })).toThrow('cannot be sent');
  });
});
