import { describe, expect, it } from '@jest/globals';
import { subjectOf } from './token.js';

const tokenOf = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.x`;

describe('the user of a token', () => {
  it('is its subject, in every script', () => {
    expect(subjectOf(tokenOf('{"sub":"ann"}'))).toBe('ann');
    expect(subjectOf(tokenOf('{"sub":"Jürgen 李"}'))).toBe('Jürgen 李');
  });

  it('is undefined when the token cannot be read', () => {
    expect(subjectOf('not a token')).toBeUndefined();
    expect(subjectOf(tokenOf('{"sub":5}'))).toBeUndefined();
  });
});
