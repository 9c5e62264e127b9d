import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportSPKI, importJWK, type CryptoKey } from 'jose';
import { createAuthenticator } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import type { Authenticate } from '../../../apps/gateway/people/auth/user.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness } from './gateway-harness.js';
import { Issuer, makeKey, signWith, type SigningKey } from './issuer.js';

/** It stands still until `pass`: a second of the machine's may go by between any two lines. */
let nowMs: number;
const clock = { now: () => nowMs, wall: () => nowMs };
let first: SigningKey;
let second: SigningKey;
let issuer: Issuer;
let authenticate: Authenticate;
beforeAll(async () => {
  [first, second] = await Promise.all([makeKey('first'), makeKey('second')]);
});
beforeEach(async () => {
  nowMs = Date.now();
  // `jose` takes no clock for the age of its keys.
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  issuer = new Issuer();
  issuer.keys = [first.jwk];
  await issuer.start();
  authenticate = createAuthenticator({ kind: 'jwt', jwksUrl: issuer.url }, clock);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await issuer.stop();
});

const REFUSED = { code: 'unauthorized' };
const UNAVAILABLE = { code: 'unavailable', retryAfterMs: 5_000 };
const codeOf = (token: string) =>
  authenticate(token).then(
    () => 'let in',
    (error: { code: string }) => error.code,
  );
/** Only the calendar: sockets and timers go on. */
function pass(seconds: number): void {
  nowMs += seconds * 1000;
}

describe('keys of an issuer (AUTH=jwt with JWKS_URL)', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('signed with %s are accepted', async (alg) => {
    const key = await makeKey('k', alg);
    issuer.keys = [first.jwk, key.jwk];
    expect(await authenticate(await signWith(key))).toMatchObject({
      id: 'ann',
      isOperator: false,
      roles: [],
    });
  });

  it.each(['ES512', 'PS512'])('of %s are refused, although the issuer has them', async (alg) => {
    const key = await makeKey('k', alg);
    issuer.keys = [first.jwk, key.jwk];
    await expect(authenticate(await signWith(key))).rejects.toMatchObject(REFUSED);
  });

  it('are read once for many tokens, and again after ten minutes', async () => {
    const token = await signWith(first, { exp: Math.floor(Date.now() / 1000) + 7_200 });
    await Promise.all(Array.from({ length: 20 }, () => authenticate(token)));
    expect(issuer.asked).toBe(1);
    pass(599);
    await authenticate(token);
    expect(issuer.asked).toBe(1);
    pass(2);
    await authenticate(token);
    expect(issuer.asked).toBe(2);
  });

  it('that are new are found without a restart, and withdrawn ones become invalid', async () => {
    const far = { exp: Math.floor(Date.now() / 1000) + 7_200 };
    const [old, fresh] = [await signWith(first, far), await signWith(second, far)];
    await authenticate(old);
    issuer.keys = [second.jwk];
    pass(5);
    expect(await codeOf(fresh)).toBe('let in');
    expect(issuer.asked).toBe(2);
    expect(await codeOf(old)).toBe('unauthorized');
  });

  it('that do not exist are requested at most every five seconds, regardless of the tokens', async () => {
    await authenticate(await signWith(first));
    const invented = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        signWith({ ...second, jwk: { ...second.jwk, kid: `invented-${i}` } }),
      ),
    );
    pass(5);
    const codes = await Promise.all(invented.map(codeOf));
    expect(new Set(codes)).toEqual(new Set(['unauthorized']));
    expect(issuer.asked).toBe(2);
    for (const token of invented) await codeOf(token);
    expect(issuer.asked).toBe(2);
    pass(5);
    await codeOf(invented[0]!);
    expect(issuer.asked).toBe(3);
  });
});

let sent = 0;
let isCutOff = false;
/** Sends valid JSON of one endless key for as long as it is taken. */
function flood(response: ServerResponse): void {
  isCutOff = false;
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const go = () => {
    while (!isCutOff && response.write(chunk)) sent += chunk.length;
    sent += chunk.length;
  };
  response.on('drain', go).on('close', () => (isCutOff = true));
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":[{"kid":"');
  go();
}

describe('an unavailable issuer', () => {
  it.each<[string, Issuer['answer']]>([
    ['answers 500', (response) => response.writeHead(500).end('no')],
    ['answers 404', (response) => response.writeHead(404).end('no')],
    ['answers a page', (response) => response.end('<html>')],
    ['answers other JSON', (response) => response.end('{"keys":"none"}')],
    ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['hangs up', (response) => response.destroy()],
    ['never ends its answer', flood],
  ])(
    'or %s delays tokens instead of refusing them, and is asked again after two seconds',
    async (_what, answer) => {
      issuer.answer = answer;
      const token = await signWith(first);
      for (let i = 0; i < 20; i++) await expect(authenticate(token)).rejects.toMatchObject(UNAVAILABLE);
      expect(issuer.asked).toBe(1);
      issuer.answer = undefined;
      pass(2);
      expect(await codeOf(token)).toBe('let in');
    },
  );

  it('does not invalidate known keys for an hour, and others wait', async () => {
    const far = { exp: Math.floor(Date.now() / 1000) + 36_000 };
    const [known, unknown] = [await signWith(first, far), await signWith(second, far)];
    await authenticate(known);
    await issuer.stop();
    pass(3_000);
    expect(await codeOf(known)).toBe('let in');
    await expect(authenticate(unknown)).rejects.toMatchObject(UNAVAILABLE);
    pass(601);
    await expect(authenticate(known)).rejects.toMatchObject(UNAVAILABLE);
    await issuer.start();
    pass(2);
    expect(await codeOf(known)).toBe('let in');
  });

  it('causes 503 over HTTP and `unavailable` over a socket, with the time to retry', async () => {
    await issuer.stop();
    const harness = await startHarness({ config: { auth: { kind: 'jwt', jwksUrl: issuer.url } } });
    try {
      const token = await signWith(first);
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${harness.url}/api/conversations`, { headers });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toMatchObject({ code: 'unavailable' });
      await expect(harness.connect({ token })).rejects.toMatchObject({
        data: { code: 'unavailable', retry_after_ms: 5_000 },
      });
      expect(harness.log.join()).not.toContain(token);
    } finally {
      await harness.stop();
    }
  });
});

describe('an issuer with an endless answer', () => {
  it('is cut off a little after one MiB', async () => {
    issuer.answer = flood;
    sent = 0;
    await expect(authenticate(await signWith(first))).rejects.toMatchObject(UNAVAILABLE);
    await waitFor(() => isCutOff, { what: 'the end of the connection' });
    // What the kernel holds for both sides comes on top.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a token of an issuer', () => {
  it('must be from the configured issuer and for the configured audience', async () => {
    const strict = { issuer: 'https://login.example', audience: 'switchyard' };
    authenticate = createAuthenticator({ kind: 'jwt', jwksUrl: issuer.url, ...strict }, clock);
    const right = { iss: strict.issuer, aud: strict.audience };
    expect(await codeOf(await signWith(first, right))).toBe('let in');
    for (const wrong of [
      { iss: 'https://evil.example' },
      { aud: 'another' },
      { iss: undefined },
      { aud: undefined },
    ])
      expect(await codeOf(await signWith(first, { ...right, ...wrong }))).toBe('unauthorized');
  });

  it('is refused without a subject or an expiry, and when expired', async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    for (const claims of [{ sub: undefined }, { sub: '' }, { exp: undefined }, { exp: past }])
      await expect(authenticate(await signWith(first, claims))).rejects.toMatchObject(REFUSED);
  });

  it('is refused without an algorithm, or with the public key used as a secret', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = part({ sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600 });
    const publicKey = (await importJWK(first.jwk, 'RS256', { extractable: true })) as CryptoKey;
    const secrets = [await exportSPKI(publicKey), first.jwk.n!, JSON.stringify(first.jwk), ''];
    for (const alg of ['none', 'None', 'HS256', 'HS512', 'RS1', 'dir'])
      for (const secret of secrets) {
        const signed = `${part({ alg, kid: 'first' })}.${body}`;
        const signature = createHmac(alg === 'HS512' ? 'sha512' : 'sha256', secret).update(signed);
        const ends = alg.toLowerCase() === 'none' ? ['', 'x'] : [signature.digest('base64url')];
        for (const end of ends)
          expect([alg, await codeOf(`${signed}.${end}`)]).toEqual([alg, 'unauthorized']);
      }
    expect(await codeOf(await signWith(first))).toBe('let in');
  });

  it('is refused when it contains its own key, or a URL for it', async () => {
    const { SignJWT } = await import('jose');
    for (const own of [{ jwk: second.jwk }, { jku: issuer.url }, { x5u: issuer.url }]) {
      const token = new SignJWT({ sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600 });
      const signed = await token
        .setProtectedHeader({ alg: 'RS256', kid: 'first', ...own })
        .sign(second.privateKey);
      expect(await codeOf(signed)).toBe('unauthorized');
    }
  });
});
