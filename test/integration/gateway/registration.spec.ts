import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createProgram } from '../../../apps/command-line/program.js';
import { sampleAccount } from '../../../libs/store/testing/sample-rows.js';
import { startHarness, type Harness } from './gateway-harness.js';

// A password costs a quarter of a second of a core that other specs use, too.
jest.setTimeout(60_000);

let harness: Harness;
const start = async (registration: 'open' | 'invite' | 'closed' | 'first') =>
  (harness = await startHarness({ config: { auth: { kind: 'local' }, registration } }));
afterEach(() => harness.stop());

interface Reply {
  status: number;
  body: Record<string, unknown> & { detail?: string };
}

async function call(method: string, path: string, body?: object, token?: string): Promise<Reply> {
  const response = await fetch(`${harness.url}${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Reply['body'] };
}
const register = (username: string, invitation?: unknown) =>
  call('POST', '/api/auth/register', {
    ...{ email: `x${Buffer.from(username).toString('hex')}@example.org`, username },
    ...{ password: 'correct horse', ...(invitation !== undefined && { invitation }) },
  });
const state = async () => (await call('GET', '/api/auth/registration')).body.registration;
const usernames = async () =>
  (await harness.store.listAccounts({ after: 0, limit: 100 })).map(({ username }) => username);

async function operator(): Promise<string> {
  await register('operator');
  const form = new URLSearchParams({ username: 'operator', password: 'correct horse' });
  const response = await fetch(`${harness.url}/api/auth/token`, { method: 'POST', body: form });
  return ((await response.json()) as { access_token: string }).access_token;
}
const PATH = '/api/admin/invitations';
const invite = async (token: string, more: object = {}) =>
  (await call('POST', PATH, more, token)).body as { id: string; token: string; expires_at: string };

describe('registration until the first account exists', () => {
  it('creates one account of many simultaneous registrations, and is closed then', async () => {
    await start('first');
    expect(await state()).toBe('open');
    const replies = await Promise.all(['ann', 'bob', 'carol', 'dave'].map((name) => register(name)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403]);
    expect(await usernames()).toHaveLength(1);
    expect(await state()).toBe('closed');
    expect(await register('eve')).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: 'Registration is closed.' },
    });
  });

  it('is closed at a gateway that never saw it open', async () => {
    await start('first');
    await harness.store.insertAccount(sampleAccount({ number: 1 }));
    expect(await state()).toBe('closed');
    expect((await register('eve')).status).toBe(403);
  });
});

describe('closed registration', () => {
  it('refuses even the first account, regardless of the token', async () => {
    await start('closed');
    expect(await state()).toBe('closed');
    for (const token of [undefined, 'x']) expect((await register('ann', token)).status).toBe(403);
    expect(await usernames()).toEqual([]);
  });
});

describe('registration by invitation', () => {
  it('creates one account of six that use one link at once', async () => {
    await start('invite');
    const { token } = await invite(await operator());
    expect(await state()).toBe('invite');
    const names = Array.from({ length: 6 }, (_, n) => `person number ${n + 20}`);
    const replies = await Promise.all(names.map((name) => register(name, token)));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array<number>(5).fill(403)]);
    expect(await usernames()).toHaveLength(2);
    expect((await register('late', token)).body.detail).toContain('This invitation was used or withdrawn');
  });

  it('keeps a link whose registration failed, and stores no token', async () => {
    await start('invite');
    const boss = await operator();
    const { id, token } = await invite(boss);
    expect(await register('operator', token)).toMatchObject({ status: 400, body: { code: 'taken' } });
    expect(await harness.store.getBinding(id)).not.toBeNull();
    expect(JSON.stringify(await harness.store.getBinding(id))).not.toContain(token);
    expect((await register('ann', token)).status).toBe(201);
    expect(await harness.store.getBinding(id)).toBeNull();
    expect(harness.log.join('')).not.toContain(token);
  });

  it('requires an invitation that exists, has not expired, and was not withdrawn', async () => {
    await start('invite');
    const boss = await operator();
    expect((await register('ann')).body.detail).toBe(
      'Registration needs an invitation. Ask an operator for a link.',
    );
    const [withdrawn, over] = [await invite(boss), await invite(boss)];
    expect((await call('DELETE', `${PATH}/${withdrawn.id}`, undefined, boss)).status).toBe(204);
    const audited = harness.log.filter((line) => line.includes(`"invitation":"${withdrawn.id}"`));
    expect(audited.map((line) => (JSON.parse(line) as { audit: string }).audit)).toEqual([
      'invitation_created',
      'invitation_withdrawn',
    ]);
    await harness.store.prolongBinding(over.id, new Date(Date.now() - 1).toISOString());
    for (const token of ['x', withdrawn.token, over.token])
      expect((await register('ann', token)).status).toBe(403);
    expect((await call('GET', PATH, undefined, boss)).body).toEqual([]);
    expect(await usernames()).toEqual(['operator']);
  });

  it('creates invitations for the operator himself, and only when that changes something', async () => {
    await start('invite');
    const boss = await operator();
    const { token, id, ...rest } = await invite(boss, { hours: 1, note: ' for Ann ' });
    expect(rest).toMatchObject({ note: 'for Ann' });
    expect(Date.parse(rest.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect((await call('GET', PATH, undefined, boss)).body).toMatchObject([{ id, note: 'for Ann' }]);
    await register('ann', token);
    for (const body of [{ hours: 0 }, { hours: 721 }, { hour: 1 }])
      expect((await call('POST', PATH, body, boss)).status).toBe(422);
    expect((await call('DELETE', `${PATH}/invitation_x`, undefined, boss)).status).toBe(404);
    await harness.stop();
    await start('open');
    const refused = await call('POST', PATH, {}, await operator());
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.body.detail).toContain('Set REGISTRATION=invite');
  });

  it('is available as a link on the command line', async () => {
    await start('invite');
    const environment = { SWITCHYARD_TOKEN: await operator() };
    const run = async (...args: string[]) => {
      const written: string[] = [];
      const program = createProgram({ write: (text) => void written.push(text), environment });
      await program.parseAsync(['node', 'switchyard', '--url', harness.url, 'invitations', ...args]);
      return written.join('');
    };
    const link = new URL((await run('create', '--for', 'Ann')).split('\n')[0]!);
    expect(link.origin).toBe(harness.url);
    const id = /^(invitation_\S+) +Ann +/m.exec(await run('list'))![1]!;
    expect((await register('ann', link.hash.replace('#invitation=', ''))).status).toBe(201);
    await run('create');
    const [second] = (await run('list')).match(/invitation_\S+/)!;
    expect(second).not.toBe(id);
    expect(await run('withdraw', second)).toBe('Withdrawn.\n');
    expect(await run('list')).not.toContain('invitation_');
  });
});

describe('usernames that look alike', () => {
  it('are refused, even when the other account is older than the comparison', async () => {
    await start('open');
    const old = sampleAccount({ number: 1, username: 'Carla', look_key: undefined });
    await harness.store.insertAccount(old);
    const detail = 'This username looks like one that is already taken.';
    expect(await register('\u0441arla')).toMatchObject({ status: 400, body: { code: 'taken', detail } });
    expect((await register('paypal')).status).toBe(201);
    expect((await register('paypa1')).body.detail).toBe(detail);
    expect((await register('an\u3164n')).status).toBe(422);
  });

  it('create one account when they register at once', async () => {
    await start('open');
    const replies = await Promise.all(
      ['carla', '\u0441arla', 'car1a', 'c\u0430rla'].map((name) => register(name)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
  });
});
