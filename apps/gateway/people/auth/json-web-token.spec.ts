import { describe, expect, it } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { SystemClock } from '#time';
import { MinuteLimit } from '../../limits/minute-limit.js';
import { createAuthenticator, signToken } from './json-web-token.adapter.js';
import { bearerToken } from './user.js';

const clock = new SystemClock();
const settings = { kind: 'jwt' as const, secret: 'a-secret-that-is-long-enough-for-hs256' };

describe('createAuthenticator', () => {
  it('makes every user the local operator when authentication is off', async () => {
    expect(await createAuthenticator({ kind: 'none' }, clock)('whatever')).toEqual({
      id: 'local',
      isOperator: true,
      roles: ['operator'],
    });
  });

  it('identifies a user by a signed token until it expires', async () => {
    const token = await signToken(clock, { id: 'ann', isOperator: false, roles: [] }, 2, settings);
    const { iat, exp } = decodeJwt(token);
    expect(exp! - iat!).toBe(2 * 3_600);
    expect(await createAuthenticator(settings, clock)(token)).toEqual({
      id: 'ann',
      isOperator: false,
      roles: [],
      expiresAtMs: exp! * 1_000,
    });
  });

  it('identifies an operator only by the claim role', async () => {
    const authenticate = createAuthenticator(settings, clock);
    const operator = await authenticate(
      await signToken(clock, { id: 'ann', isOperator: true, roles: ['operator'] }, 1, settings),
    );
    expect(operator).toMatchObject({ id: 'ann', isOperator: true, roles: ['operator'] });
  });

  it('checks issuer and audience when they are configured', async () => {
    const strict = { ...settings, issuer: 'https://login.example', audience: 'switchyard' };
    const authenticate = createAuthenticator(strict, clock);
    expect(
      (await authenticate(await signToken(clock, { id: 'ann', isOperator: false, roles: [] }, 1, strict))).id,
    ).toBe('ann');
    await expect(
      authenticate(await signToken(clock, { id: 'ann', isOperator: false, roles: [] }, 1, settings)),
    ).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  it('refuses all other tokens without a reason', async () => {
    const authenticate = createAuthenticator(settings, clock);
    const other = await signToken(clock, { id: 'ann', isOperator: false, roles: [] }, 1, {
      ...settings,
      secret: 'another-secret-that-is-long-enough-too',
    });
    for (const token of [
      undefined,
      '',
      'a.b.c',
      other,
      await signToken(clock, { id: 'ann', isOperator: false, roles: [] }, -1, settings),
      'x'.repeat(10_000),
    ])
      await expect(authenticate(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it.each(['HS384', 'HS512'])('refuses a token signed by %s, with the right secret', async (alg) => {
    const token = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(settings.secret));
    await expect(createAuthenticator(settings, clock)(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('a user id', () => {
  const authenticateAs = async (id: string) =>
    createAuthenticator(
      settings,
      clock,
    )(await signToken(clock, { id, isOperator: false, roles: [] }, 1, settings));

  it.each(['auth0|5f', 'ann@example.org', 'Ännchen 😀'])('may be %j', async (id) => {
    expect((await authenticateAs(id)).id).toBe(id);
  });

  it.each(['', 'x'.repeat(257), 'a\ud800', '\udc00b', 'a\0b', 'a\nb'])('is never %j', async (id) => {
    await expect(authenticateAs(id)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('bearerToken', () => {
  it('reads the header regardless of case, and only the Bearer scheme', () => {
    expect(bearerToken('Bearer abc')).toBe('abc');
    expect(bearerToken('bearer  abc ')).toBe('abc');
    for (const header of [undefined, '', 'Bearer', 'Basic abc', 'Bearer a b'])
      expect(bearerToken(header)).toBeUndefined();
  });
});

describe('MinuteLimit', () => {
  it('counts within a sliding minute, by user, and gives the time to retry', () => {
    let now = 0;
    const limit = new MinuteLimit({ what: 'connections', perUser: 2, inAll: 100 }, { now: () => now });
    limit.take('ann');
    now = 20_000;
    limit.take('ann');
    limit.take('bob');
    expect(() => limit.take('ann')).toThrow(
      expect.objectContaining({ code: 'overloaded', retryAfterMs: 40_000 }),
    );
    now = 60_000;
    limit.take('ann');
    expect(() => limit.take('ann')).toThrow();
  });

  it('also limits all users together, and keeps no more entries than that limit', () => {
    let now = 0;
    const limit = new MinuteLimit({ what: 'connections', perUser: 2, inAll: 20_000 }, { now: () => now });
    for (let user = 0; user < 20_000; user++) limit.take(`user-${user}`);
    now = 10_000;
    expect(() => limit.take('one more')).toThrow(
      expect.objectContaining({ code: 'overloaded', retryAfterMs: 50_000 }),
    );
    now = 60_000;
    limit.take('one more');
    limit.take('one more');
    expect(() => limit.take('one more')).toThrow(/within a minute/);
  });
});
