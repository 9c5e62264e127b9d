import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isTokenKey, TokenKeys } from './token-keys.js';

const newKey = () => randomBytes(32).toString('base64');
const SECRET = 'a refresh token \u{1F408}';

describe('token keys', () => {
  it('open what they sealed, in its place only', () => {
    const keys = TokenKeys.from([newKey()]);
    const sealed = keys.seal(SECRET, 'row 1');
    expect(keys.open(sealed, 'row 1')).toBe(SECRET);
    expect(keys.open(sealed, 'row 2')).toBeUndefined();
  });

  it('never seal a text twice in the same way, and show nothing of it', () => {
    const keys = TokenKeys.from([newKey()]);
    const sealed = keys.seal(SECRET, 'row');
    expect(sealed).not.toBe(keys.seal(SECRET, 'row'));
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString()).not.toContain('refresh');
  });

  it('open nothing that another key sealed, or that was changed', () => {
    const keys = TokenKeys.from([newKey()]);
    const sealed = keys.seal(SECRET, 'row');
    expect(TokenKeys.from([newKey()]).open(sealed, 'row')).toBeUndefined();
    const [id, nonce, content] = sealed.split('.') as [string, string, string];
    const changed = Buffer.from(content, 'base64url');
    changed[0]! ^= 1;
    const others = [
      [id, nonce, changed.toString('base64url')],
      [id, randomBytes(12).toString('base64url'), content],
      [id, nonce, content.slice(0, 8)],
      [id, 'x', content],
      [id],
      [],
    ];
    expect(others.map((parts) => keys.open(parts.join('.'), 'row'))).toEqual(others.map(() => undefined));
  });

  it('rotate: the first one seals, the others still open', () => {
    const [old, fresh] = [newKey(), newKey()];
    const sealed = TokenKeys.from([old]).seal(SECRET, 'row');
    const both = TokenKeys.from([fresh, old]);
    expect(both.open(sealed, 'row')).toBe(SECRET);
    expect(TokenKeys.from([fresh]).open(both.seal(SECRET, 'row'), 'row')).toBe(SECRET);
  });

  it('have 32 bytes', () => {
    expect(isTokenKey(newKey())).toBe(true);
    expect(isTokenKey(randomBytes(32).toString('base64url'))).toBe(true);
    const wrong = ['', 'secret', randomBytes(16).toString('base64'), randomBytes(33).toString('base64')];
    expect(wrong.map(isTokenKey)).toEqual(wrong.map(() => false));
    expect(() => TokenKeys.from(['secret'])).toThrow('32 bytes');
    expect(() => TokenKeys.from([])).toThrow();
  });
});
