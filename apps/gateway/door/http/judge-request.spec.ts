import { describe, expect, it } from '@jest/globals';
import { judgeRequest, type OriginRules, type RequestOrigin } from './judge-request.js';
import { toOriginRules } from './origin-rules.js';

const open: OriginRules = { isOpen: true, allowedHosts: [], corsOrigins: [] };
const behindLogin: OriginRules = { isOpen: false, allowedHosts: [], corsOrigins: ['https://chat.example'] };

function isAllowed(request: Partial<RequestOrigin>, rules = open): boolean {
  const whole = {
    method: 'GET',
    host: 'localhost:3000',
    origin: undefined,
    fetchSite: undefined,
    ...request,
  };
  return judgeRequest(whole, rules) === undefined;
}

describe('judgeRequest', () => {
  it('requires a loopback Host while authentication is off', () => {
    for (const host of ['localhost', 'localhost:1', '127.0.0.1:3000', '[::1]', '[::1]:3000', 'LOCALHOST'])
      expect([host, isAllowed({ host })]).toEqual([host, true]);
    for (const host of [
      undefined,
      '',
      'evil.example',
      'localhost.',
      'localhost.evil',
      '127.0.0.2',
      '::1',
      'a@localhost',
      'localhost/x',
    ])
      expect([host, isAllowed({ host })]).toEqual([host, false]);
    expect(isAllowed({ host: 'evil.example' }, behindLogin)).toBe(true);
  });

  it('accepts further hosts that are allowed, with any port or with the given one', () => {
    const rules = { ...open, allowedHosts: ['Chat.internal', 'other.internal:8080'] };
    expect(isAllowed({ host: 'chat.internal:9' }, rules)).toBe(true);
    expect(isAllowed({ host: 'other.internal:8080' }, rules)).toBe(true);
    expect(isAllowed({ host: 'other.internal:8081' }, rules)).toBe(false);
    for (const host of ['xchat.internal', 'a.chat.internal', 'chat.internal.evil', 'chat.internal.', 'chat'])
      expect([host, isAllowed({ host }, rules)]).toEqual([host, false]);
  });

  it('accepts only its own or an allowed origin, for every method', () => {
    for (const rules of [open, behindLogin])
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        expect(isAllowed({ method, origin: 'http://localhost:3000' }, rules)).toBe(true);
        expect(isAllowed({ method, origin: 'http://localhost:3001' }, rules)).toBe(false);
        expect(isAllowed({ method, origin: 'null' }, rules)).toBe(false);
        expect(isAllowed({ method, origin: '' }, rules)).toBe(false);
        expect(isAllowed({ method, origin: 'http://localhost:3000, https://evil.example' }, rules)).toBe(
          false,
        );
        expect(isAllowed({ method, origin: 'https://chat.example' }, rules)).toBe(rules === behindLogin);
      }
  });

  it('recognises its own origin without the default port', () => {
    expect(isAllowed({ host: 'localhost:80', origin: 'http://localhost' })).toBe(true);
    expect(isAllowed({ host: 'localhost:443', origin: 'https://localhost' })).toBe(true);
    expect(isAllowed({ host: 'localhost:443', origin: 'http://localhost' })).toBe(false);
  });

  it('refuses writes of another site without an Origin header', () => {
    expect(isAllowed({ method: 'POST', fetchSite: 'cross-site' })).toBe(false);
    expect(isAllowed({ method: 'POST', fetchSite: 'same-site' })).toBe(true);
    expect(isAllowed({ method: 'GET', fetchSite: 'cross-site' })).toBe(true);
    const origin = 'https://chat.example';
    expect(isAllowed({ method: 'POST', fetchSite: 'cross-site', origin }, behindLogin)).toBe(true);
  });
});

describe('toOriginRules', () => {
  it('allows the usual development origins only with authentication, and only if none is configured', () => {
    const base = { allowedHosts: [], corsOrigins: [] as string[] };
    expect(toOriginRules({ ...base, auth: { kind: 'none' } }).corsOrigins).toEqual([]);
    expect(toOriginRules({ ...base, auth: { kind: 'jwt' } }).corsOrigins).toContain('http://localhost:5173');
    const named = { ...base, corsOrigins: ['https://chat.example'] };
    expect(toOriginRules({ ...named, auth: { kind: 'jwt' } }).corsOrigins).toEqual(['https://chat.example']);
  });
});
