import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { createProgram } from '../../../apps/command-line/program.js';
import { sampleAccount } from '../../../libs/store/testing/sample-rows.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, startHarness, type Harness, type HarnessOptions } from './gateway-harness.js';

// A password costs a quarter of a second of a core that other specs use, too, and some tests try a dozen.
jest.setTimeout(60_000);

let harness: Harness;
const LOCAL: HarnessOptions = { config: { auth: { kind: 'local' } } };
const start = async (options: HarnessOptions = LOCAL) => (harness = await startHarness(options));
afterEach(() => harness.stop());

const ANN = {
  email: 'ann@example.org',
  username: 'Ann',
  password: 'correct horse',
  full_name: 'Ann Example',
};

interface Reply {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { detail?: string };
}

async function call(path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${harness.url}${path}`, init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Reply['body'],
  };
}
const json = (method: string, body: unknown, token?: string): RequestInit => ({
  method,
  headers: {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify(body),
});
const register = (account: object) => call('/api/auth/register', json('POST', account));
const signIn = (username: string, password: string, headers: Record<string, string> = {}) =>
  call('/api/auth/token', { method: 'POST', headers, body: new URLSearchParams({ username, password }) });
const withToken = (token: unknown): RequestInit => ({
  headers: { authorization: `Bearer ${String(token)}` },
});
const me = (token: unknown) => call('/api/auth/me', withToken(token));
async function tokenOf({ username, password } = ANN): Promise<string> {
  return (await signIn(username, password)).body.access_token as string;
}
const other = (n: number, more: object = {}) => ({
  email: `user${n}@example.org`,
  username: `user ${n}`,
  password: 'another password',
  ...more,
});

describe('registration', () => {
  it('answers 201 with only the account, then 400 for its email and its username', async () => {
    await start();
    const first = await register(ANN);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^user_[\w-]{22}$/),
      email: ANN.email,
      username: ANN.username,
      full_name: ANN.full_name,
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const sameEmail = await register({ ...other(2), email: 'ANN@Example.org' });
    expect(sameEmail).toMatchObject({
      status: 400,
      body: { code: 'taken', detail: 'This email is already registered.' },
    });
    const sameName = await register({ ...other(2), username: ' aNN ' });
    expect(sameName).toMatchObject({
      status: 400,
      body: { code: 'taken', detail: 'This username is already taken.' },
    });
    expect((await register(other(2))).body.full_name).toBeNull();
  });

  it.each([
    [{ email: 'not an address' }, 'email'],
    [{ email: undefined }, 'email'],
    [{ username: 'ab' }, 'username'],
    [{ username: 'x'.repeat(51) }, 'username'],
    [{ username: 'ann@example.org' }, 'username'],
    [{ username: 'ann\u200b' }, 'username'],
    [{ username: { $gt: '' } }, 'username'],
    [{ password: 'short77' }, 'password'],
    [{ password: 'x'.repeat(101) }, 'password'],
    [{ full_name: 'x'.repeat(101) }, 'full_name'],
  ])('refuses %j with 422 and one sentence that names the field', async (wrong, field) => {
    await start();
    const reply = await register({ ...ANN, ...wrong });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid' } });
    expect(typeof reply.body.detail).toBe('string');
    expect(reply.body.detail).toContain(field);
    expect(JSON.stringify(reply.body)).not.toContain(ANN.password);
  });

  it('of one email and username by many at once succeeds exactly once each', async () => {
    await start();
    const [emails, names] = await Promise.all([
      Promise.all([1, 2, 3].map((n) => register({ ...other(n), email: 'one@example.org' }))),
      Promise.all([4, 5, 6].map((n) => register({ ...other(n), username: 'one name' }))),
    ]);
    for (const replies of [emails, names])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    const accounts = await harness.store.listAccounts({ after: 0, limit: 10 });
    expect(accounts.map(({ number, role }) => [number, role])).toEqual([
      [1, 'operator'],
      [2, 'user'],
    ]);
  });
});

describe('a sign-in token', () => {
  it('is issued for username or email and password as a form, with or without other fields, and names its user', async () => {
    await start();
    const { id } = (await register(ANN)).body;
    for (const name of [ANN.username, 'ann', ANN.email, 'Ann@Example.ORG']) {
      const form = { username: name, password: ANN.password, grant_type: 'password', scope: '' };
      const reply = await call('/api/auth/token', { method: 'POST', body: new URLSearchParams(form) });
      expect(reply).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
      expect(Object.keys(reply.body).toSorted()).toEqual(['access_token', 'token_type']);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      const claims = decodeJwt(reply.body.access_token as string);
      expect(claims).toMatchObject({ sub: id, type: 'access' });
      expect(claims.exp! - claims.iat!).toBe(24 * 3600);
      expect(await me(reply.body.access_token)).toMatchObject({
        status: 200,
        body: { id, email: ANN.email },
      });
    }
  });

  it('is not issued for JSON, no body, or an incomplete form: 422; for another type 415', async () => {
    await start();
    const path = '/api/auth/token';
    const form = (text: string) => ({ method: 'POST', body: new URLSearchParams(text) });
    const replies = [
      await call(path, json('POST', { username: 'ann', password: 'correct horse' })),
      await call(path, { method: 'POST' }),
      await call(path, form('username=ann')),
      await call(path, form('username=ann&password=a&password=b')),
      await call(path, form(`username=ann&password=${'x'.repeat(1_001)}`)),
    ];
    for (const { status, body } of replies) {
      expect([status, body.code, typeof body.detail]).toEqual([422, 'invalid', 'string']);
    }
    expect((await call(path, { method: 'POST', body: 'username=ann' })).status).toBe(415);
  });

  it('is refused with the same answer for a wrong password, an unknown name and an inactive account', async () => {
    await start();
    const { id } = (await register(ANN)).body;
    await register(other(2));
    const replies = [await signIn('ann', 'wrong horse'), await signIn('nobody', 'wrong horse')];
    replies.push(await signIn('nobody@example.org', 'correct horse'));
    await harness.store.updateAccount(id as string, { is_active: false });
    replies.push(await signIn('ann', ANN.password));
    for (const { status, headers, body } of replies) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(body).toMatchObject({ detail: 'Incorrect username or password', code: 'unauthorized' });
    }
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('is refused for a while after ten wrong passwords, even with the right one, with the time to retry', async () => {
    await start();
    await register(ANN);
    await Promise.all(Array.from({ length: 10 }, () => signIn('ann', 'wrong horse')));
    const reply = await signIn('ann', ANN.password);
    expect(reply).toMatchObject({ status: 429, body: { code: 'overloaded' } });
    const seconds = Number(reply.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await signIn('nobody', 'wrong horse')).status).toBe(401);
  });

  it('counts wrong passwords per account, by email or by name', async () => {
    await start({ ...LOCAL, limits: { wrongPasswordsPerMinute: 2 } });
    await register(ANN);
    expect((await signIn('ann', 'wrong horse')).status).toBe(401);
    expect((await signIn('Ann@example.org', 'wrong horse')).status).toBe(401);
    for (const name of ['ann', ANN.email]) expect((await signIn(name, ANN.password)).status).toBe(429);
    await waitFor(() => harness.log.some((line) => line.includes('limit reached')), { what: 'a log line' });
    const line = JSON.parse(harness.log.find((text) => text.includes('limit reached'))!) as object;
    expect(line).toMatchObject({ limit: 'wrong_passwords_per_minute', address: '127.0.0.1' });
  });

  it('is issued at an address with an earlier sign-in, regardless of attempts from elsewhere', async () => {
    const trustedProxies = ['127.0.0.1'];
    const limits = { wrongPasswordsPerMinute: 2 };
    await start({ config: { auth: { kind: 'local' }, trustedProxies }, limits });
    await register(ANN);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect((await signIn('ann', ANN.password, from('10.0.0.1'))).status).toBe(200);
    for (const n of [2, 3]) expect((await signIn('ann', 'wrong', from(`10.0.0.${n}`))).status).toBe(401);
    expect((await signIn('ann', ANN.password, from('10.0.0.4'))).status).toBe(429);
    expect((await signIn('ann', ANN.password, from('10.0.0.1'))).status).toBe(200);
    for (let i = 0; i < 2; i++) expect((await signIn('ann', 'wrong', from('10.0.0.1'))).status).toBe(401);
    expect((await signIn('ann', ANN.password, from('10.0.0.1'))).status).toBe(429);
  });

  it('is refused by address, which only a trusted proxy may set', async () => {
    const limits = { wrongPasswordsPerAddress: 1 };
    const from = (address: string) => ({ 'x-forwarded-for': address });
    await start({ ...LOCAL, limits });
    expect((await signIn('a', 'wrong', from('10.0.0.1'))).status).toBe(401);
    expect((await signIn('b', 'wrong', from('10.0.0.2'))).status).toBe(429);
    await harness.stop();
    const trustedProxies = ['127.0.0.1'];
    await start({ config: { auth: { kind: 'local' }, trustedProxies }, limits });
    expect((await signIn('a', 'wrong', from('10.0.0.1'))).status).toBe(401);
    expect((await signIn('b', 'wrong', from('10.0.0.2'))).status).toBe(401);
    expect((await signIn('c', 'wrong', from('10.0.0.1'))).status).toBe(429);
    // What a client has written itself stands before what the proxy adds.
    expect((await signIn('d', 'wrong', from('192.0.2.1, 10.0.0.1'))).status).toBe(429);
  });

  it('is limited per minute and address for registrations too', async () => {
    await start({ ...LOCAL, limits: { registrationsPerAddress: 1 } });
    expect((await register(ANN)).status).toBe(201);
    expect(await register(other(2))).toMatchObject({ status: 429, body: { code: 'overloaded' } });
  });
});

describe('access by token', () => {
  it('is refused without a token, with an invalid one, with one of another type, and after it expires', async () => {
    await start({ config: { auth: { kind: 'local', secret: JWT_SECRET } } });
    const { id } = (await register(ANN)).body;
    const sign = (claims: object, secret = JWT_SECRET, exp = Math.floor(Date.now() / 1000) + 60) =>
      new SignJWT({ sub: id as string, type: 'access', ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(exp)
        .sign(new TextEncoder().encode(secret));
    expect((await me(await sign({}))).status).toBe(200);
    const tokens = [
      'x.y.z',
      await sign({}, 'another-secret-that-is-long-enough-too'),
      await sign({}, JWT_SECRET, Math.floor(Date.now() / 1000) - 60),
      await sign({ type: 'refresh' }),
      await sign({ type: undefined }),
      await sign({ sub: 'user_unknown' }),
    ];
    for (const path of ['/api/auth/me', '/api/conversations']) {
      expect((await call(path)).status).toBe(401);
      for (const token of tokens)
        expect([token, (await call(path, withToken(token))).status]).toEqual([token, 401]);
    }
  });

  it('depends on the account: an inactive one gets 403 for me and 401 for everything else, within five seconds', async () => {
    await start();
    await register(ANN);
    const bob = (await register(other(2))).body.id as string;
    const operator = await tokenOf();
    const token = await tokenOf(other(2) as typeof ANN);
    expect((await call('/api/conversations', withToken(token))).status).toBe(200);
    const changed = await call(`/api/admin/users/${bob}`, json('PATCH', { is_active: false }, operator));
    expect(changed).toMatchObject({ status: 200, body: { id: bob, is_active: false, role: 'user' } });
    expect(await me(token)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await call('/api/conversations', withToken(token))).status).toBe(401);
    const refusal = { code: 'unauthorized', sign_in: 'password' };
    await expect(harness.connect({ token })).rejects.toMatchObject({ data: refusal });
    await call(`/api/admin/users/${bob}`, json('PATCH', { is_active: true }, operator));
    expect((await call('/api/conversations', withToken(token))).status).toBe(200);
  });

  it('is the same after a restart and at every gateway, with the secret from the store', async () => {
    await start();
    await register(ANN);
    const token = await tokenOf();
    const { store } = harness;
    const second = await startHarness({ ...LOCAL, alter: () => ({ store }) });
    try {
      const response = await fetch(`${second.url}/api/auth/me`, withToken(token));
      expect(response.status).toBe(200);
    } finally {
      await second.stop();
    }
  });
});

describe('operators', () => {
  it('list accounts without their passwords, and make other users operators; other users cannot', async () => {
    await start();
    await register(ANN);
    const bob = (await register(other(2))).body.id as string;
    const [operator, user] = [await tokenOf(), await tokenOf(other(2) as typeof ANN)];
    const list = (token: string) => call('/api/admin/users', withToken(token));
    expect((await list(user)).status).toBe(403);
    const listed = await list(operator);
    const ann = (listed.body as unknown as { id: string }[])[0]!.id;
    expect(listed.body).toMatchObject([
      { number: 1, username: 'Ann', role: 'operator' },
      { number: 2, id: bob, role: 'user' },
    ]);
    expect(JSON.stringify(listed.body)).not.toMatch(/scrypt|_key|password/);
    const change = (id: string, body: object, token = operator) =>
      call(`/api/admin/users/${id}`, json('PATCH', body, token));
    expect((await change(bob, { role: 'operator' }, user)).status).toBe(403);
    expect((await change(bob, { role: 'operator' })).body).toMatchObject({
      role: 'operator',
      is_active: true,
    });
    expect((await list(user)).status).toBe(200);
    expect((await change(bob, { is_activ: false })).status).toBe(422);
    expect((await change(bob, { role: 'user', is_active: false })).status).toBe(200);
    const audited = harness.log.filter((line) => line.includes('"account_changed"'));
    expect(audited.map((line) => JSON.parse(line) as object)).toMatchObject([
      { user_id: ann, account: bob, role: 'operator', is_active: true },
      { user_id: ann, account: bob, role: 'user', is_active: false },
    ]);
    expect((await change('user_unknown', { is_active: false })).status).toBe(404);
    expect((await change('a.b', { is_active: false })).status).toBe(404);
    expect(await change(ann, { is_active: false })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });
});

describe('npm run switchyard -- users', () => {
  const run = async (args: string[], token: string) => {
    const written: string[] = [];
    const environment = { SWITCHYARD_TOKEN: token };
    const program = createProgram({ write: (text) => void written.push(text), environment });
    await program.parseAsync(['node', 'switchyard', '--url', harness.url, ...args]);
    return written.join('');
  };

  it('lists accounts and changes them, for operators', async () => {
    await start();
    const ann = (await register(ANN)).body.id as string;
    const bob = (await register(other(2))).body.id as string;
    const [operator, user] = [await tokenOf(), await tokenOf(other(2) as typeof ANN)];
    const listed = (await run(['users', 'list'], operator)).split('\n');
    expect(listed[0]).toMatch(/^NUMBER +ID +USERNAME +EMAIL +ROLE +ROLES +ACTIVE +SINCE$/);
    expect(listed[1]).toMatch(new RegExp(`^1 +${ann} +Ann +ann@example.org +operator +yes +\\d{4}-`));
    expect(listed[2]).toMatch(new RegExp(`^2 +${bob} +user 2 +user2@example.org +user +yes +`));
    const set = (...args: string[]) => run(['users', 'set', bob, ...args], operator);
    expect(await set('--active', 'no')).toMatch(/ user +no /);
    expect(await set('--role', 'operator')).toMatch(/ operator +no /);
    expect(await set('--active', 'yes')).toMatch(/ operator +yes /);
    expect(await set('--roles', 'finance, chief')).toMatch(/ operator +finance,chief +yes /);
    expect(await set('--roles', '')).toMatch(/ operator +yes /);
    await expect(set('--roles', 'operator')).rejects.toThrow('`operator` is given by `role`');
    expect(JSON.parse(await run(['users', 'list', '--json'], user))).toHaveLength(2);
    await expect(run(['users', 'set', bob, '--active', 'no'], user)).rejects.toThrow('Ask another operator');
    await expect(run(['users', 'set', 'x', '--role', 'user'], user)).rejects.toThrow('nothing with this id');
    await expect(run(['users', 'list'], 'no token')).rejects.toThrow('Set SWITCHYARD_TOKEN');
    await expect(set()).rejects.toThrow('Say what to change: --role');
  });

  it('reports that there are no accounts', async () => {
    await start({ config: { auth: { kind: 'none' } } });
    await expect(run(['users', 'list'], '')).rejects.toThrow('Accounts exist only with AUTH=local');
  });

  it('reads as many pages as exist', async () => {
    await start();
    await register(ANN);
    for (let number = 2; number <= 1_001; number++)
      await harness.store.insertAccount(sampleAccount({ number }));
    const accounts = JSON.parse(await run(['users', 'list', '--json'], await tokenOf())) as unknown[];
    expect(accounts).toHaveLength(1_001);
  });
});

describe('without AUTH=local', () => {
  it.each([{ kind: 'none' as const }, { kind: 'jwt' as const, secret: JWT_SECRET }])(
    'there are no accounts with %j: the routes are unknown paths',
    async (auth) => {
      await start({ config: { auth } });
      const unknown = await call('/api/auth/nothing');
      for (const reply of [
        await register(ANN),
        await signIn('ann', 'correct horse'),
        await call('/api/auth/me'),
        await call('/api/admin/users'),
      ])
        expect([reply.status, reply.body]).toEqual([404, unknown.body]);
      if (auth.kind === 'jwt')
        await expect(harness.connect()).rejects.toMatchObject({ data: { sign_in: 'token' } });
    },
  );
});
