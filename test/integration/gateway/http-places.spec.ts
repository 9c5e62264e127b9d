import { afterEach, describe, expect, it } from '@jest/globals';
import { RawConnection, type Begun } from '../../services/raw-connection.js';
import { waitFor } from '../../services/wait-for.js';
import {
  JWT_SECRET,
  signTestToken,
  startHarness,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';
import { holding } from './holding-store.js';

let harness: Harness;
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  await harness.stop();
});

const jwt = { kind: 'jwt' as const, secret: JWT_SECRET };
const proxied = { auth: jwt, trustedProxies: ['127.0.0.0/8'] };

async function start({ config = { auth: jwt }, ...options }: HarnessOptions): Promise<void> {
  harness = await startHarness({ config, ...options });
}

/** A request whose body never comes. */
async function begin(path: string, begun?: Begun): Promise<RawConnection> {
  const connection = await RawConnection.open({ port: harness.running.port });
  connections.push(connection);
  connection.begin(path, begun);
  return connection;
}

/** Resolves once the gateway has read what was sent on other connections before. */
async function readByNow(): Promise<void> {
  for (let round = 0; round < 3; round++) await ask('/health/live');
}

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; retry: string | null }> {
  const response = await fetch(harness.url + path, init);
  await response.arrayBuffer();
  return { status: response.status, retry: response.headers.get('retry-after') };
}

async function askAs(user: string, path: string): Promise<number> {
  return (await ask(path, await bearer(user))).status;
}

async function bearer(user: string, secret?: string): Promise<{ headers: { authorization: string } }> {
  return { headers: { authorization: `Bearer ${await signTestToken(user, { secret })}` } };
}

describe('requests of unauthenticated clients', () => {
  it('that are half-sent hold no place of a known user', async () => {
    await start({ limits: { httpRequests: 1, unknownRequests: 4, unknownRequestsPerAddress: 4 } });
    for (let count = 0; count < 8; count++) await begin('/api/conversations');
    await readByNow();
    expect(await askAs('ann', '/api/tools')).toBe(200);
    expect(await askAs('bob', '/api/tools')).toBe(200);
  });

  it('are served when complete while half-sent ones fill their pool', async () => {
    await start({
      config: { auth: { kind: 'local', secret: undefined } },
      limits: { unknownRequests: 2, unknownRequestsPerAddress: 2 },
    });
    for (let count = 0; count < 2; count++) await begin('/api/auth/register');
    await readByNow();
    const late = await begin('/api/auth/register');
    expect(await late.status()).toBe(503);
    const account = { email: 'ann@example.org', username: 'ann', password: 'correct horse' };
    const made = await begin('/api/auth/register', wholeOf(JSON.stringify(account)));
    expect(await made.status()).toBe(201);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const signedIn = await begin('/api/auth/token', {
      ...wholeOf('username=ann&password=correct+horse'),
      headers: form,
    });
    expect(await signedIn.status()).toBe(200);
    expect((await ask('/nothing')).status).toBe(404);
  });

  it('with complete bodies leave room for other bodies', async () => {
    const { alter, release, isAsked } = holding('findAccount');
    await start({
      config: { auth: { kind: 'local', secret: undefined } },
      alter,
      limits: { unknownRequests: 1 },
    });
    const form = 'username=ann&password=correct+horse';
    const signingIn = await begin('/api/auth/token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      length: form.length,
      body: '',
    });
    await readByNow();
    signingIn.send(form);
    await isAsked();
    const next = await begin('/api/auth/token');
    await readByNow();
    expect(next.statuses).toEqual([]);
    release();
    expect(await signingIn.status()).toBe(401);
  });

  it('are refused per address while more than half of the pool is taken', async () => {
    await start({ config: proxied, limits: { unknownRequests: 10, unknownRequestsPerAddress: 2 } });
    const from = (address: string) =>
      begin('/api/conversations', { headers: { 'X-Forwarded-For': address } });
    for (let count = 0; count < 6; count++) await from('192.0.2.1');
    await readByNow();
    const refused = await from('192.0.2.1');
    expect(await refused.status()).toBe(429);
    expect(refused.received).toContain('Retry-After: 1');
    const other = await from('192.0.2.2');
    await readByNow();
    expect(other.statuses).toEqual([]);
    expect(harness.log.join('')).toContain(
      '"limit":"unknown_requests_per_address","refused":1,"address":"192.0.2.1"',
    );
  });

  it('include those with a forged token', async () => {
    await start({ limits: { unknownRequests: 1 } });
    await begin('/api/conversations');
    await readByNow();
    const forged = await begin(
      '/api/conversations',
      await bearer('ann', 'another secret that is long enough'),
    );
    expect(await forged.status()).toBe(503);
    const known = await begin('/api/conversations', { ...(await bearer('ann')), ...wholeOf('{}') });
    expect(await known.status()).toBe(201);
  });

  it('free their places when their clients leave', async () => {
    await start({ limits: { unknownRequests: 1 } });
    const held = await begin('/api/conversations');
    await readByNow();
    const refused = await begin('/api/conversations');
    expect(await refused.status()).toBe(503);
    held.close();
    const isFree = async () => {
      const next = await begin('/api/conversations', { length: 2, body: '{' });
      await readByNow();
      if (next.statuses.length > 0) return false;
      next.send('}');
      return (await next.status()) === 401;
    };
    await waitFor(isFree, { what: 'room for another' });
  });
});

describe('requests of authenticated users', () => {
  it('above the limit of one user are refused until another has been answered', async () => {
    const { alter, release, isAsked } = holding('listConversations');
    await start({ alter, limits: { httpRequestsPerUser: 1 } });
    const held = askAs('ann', '/api/conversations');
    await isAsked();
    expect(await ask('/api/tools', await bearer('ann'))).toEqual({ status: 429, retry: '1' });
    expect(await askAs('bob', '/api/tools')).toBe(200);
    release();
    expect(await held).toBe(200);
    await waitFor(async () => (await askAs('ann', '/api/tools')) === 200, { what: 'room for another' });
    expect(harness.log.join('')).toContain('"limit":"http_requests_per_user"');
  });

  it('do not count as requests while they count as streams', async () => {
    await start({ limits: { httpRequestsPerUser: 1 } });
    const leaving = new AbortController();
    const { headers } = await bearer('ann');
    const run = {
      threadId: 'thread',
      runId: 'run-1',
      messages: [{ id: '1', role: 'user', content: 'hello' }],
    };
    const stream = await fetch(`${harness.url}/ag-ui`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(run),
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    expect(await askAs('ann', '/api/tools')).toBe(200);
    leaving.abort();
  });

  it('are not limited per user without accounts, where all users are one', async () => {
    const { alter, release, isAsked } = holding('listConversations');
    await start({ config: {}, alter, limits: { httpRequestsPerUser: 1, unknownRequests: 1 } });
    const held = ask('/api/conversations');
    await isAsked();
    for (let count = 0; count < 3; count++) await begin('/api/conversations');
    expect((await ask('/api/tools')).status).toBe(200);
    release();
    await held;
  });

  it('are refused when half-sent beyond the number of places', async () => {
    await start({ limits: { httpRequests: 2 } });
    for (let count = 0; count < 2; count++) await begin('/api/conversations', await bearer('ann'));
    await readByNow();
    expect(await askAs('bob', '/api/tools')).toBe(503);
  });
});

describe('health and metrics', () => {
  it('are served by a full gateway, and no other path below them', async () => {
    await start({ config: {}, limits: { httpRequests: 1 } });
    await begin('/api/conversations');
    await readByNow();
    for (const path of ['/health/live', '/health/ready', '/metrics', '/metrics?x=1'])
      expect([path, (await ask(path)).status, (await ask(path, { method: 'HEAD' })).status]).toEqual([
        path,
        200,
        200,
      ]);
    for (const path of [
      '/health/x',
      '/health/',
      '/Health/live',
      '/health/live/',
      '//health/live',
      '/METRICS',
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 503]);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await ask('/health/live', { method })).status).toBe(503);
    expect(await (await begin('/health/x')).status()).toBe(503);
    expect(await (await begin('/metrics')).status()).toBe(503);
  });

  it('have no other paths even when there is room', async () => {
    await start({ config: {} });
    for (const path of ['/health/x', '/health/', '//health/live', '/health/%6cive/x'])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    expect((await ask('/health/live', { method: 'POST' })).status).toBe(404);
  });

  it('do not read a body', async () => {
    await start({ config: {} });
    for (const type of ['application/json', 'text/plain'])
      expect(
        await (
          await begin('/health/live', { method: 'GET', headers: { 'Content-Type': type }, body: '{"' })
        ).status(),
      ).toBe(200);
  });
});

function wholeOf(body: string): Begun {
  return { body, length: body.length };
}
