import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { definitionIdOf, newMessage, type ListedSwitch, type Message } from '#contracts';
import { SystemClock, systemTime } from '#time';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { waitFor } from '../../services/wait-for.js';
import { Switches } from '../../../libs/bootstrap/switches.js';
import { GATEWAY_ID, JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';
import { runSwitchyard } from './switchyard-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
const PROCESS = { host: 'here', beat: 0, version: '9.9.9', started_at: new Date().toISOString() };

let harness: Harness;
let olga: string;
let ann: string;
beforeAll(async () => {
  harness = await startHarness({
    config: { auth: AUTH },
    logLevel: 'info',
    alter: ({ processId, store, logger }) => ({ switches: new Switches({ processId, store, logger }) }),
  });
  const tokenOf = (id: string, isOperator: boolean) =>
    signToken(new SystemClock(), { id, isOperator }, 1, AUTH);
  [olga, ann] = await Promise.all([tokenOf('olga', true), tokenOf('ann', false)]);
  await harness.store.insertProcess({ _id: GATEWAY_ID, role: 'gateway', ...PROCESS });
  const toolsets = [announcedToolset('web', [announcedTool('web', 'search'), announcedTool('web', 'read')])];
  await harness.driver.send(
    'gateway.all',
    newMessage(systemTime(), 'catalog.announce', { worker: 'worker-1', toolsets, servers: [] }),
  );
  await waitFor(async () => (await ask('GET', '/api/tools')).text.includes('web.search'), {
    what: 'the offered tool',
  });
});
afterAll(() => harness.stop());
afterEach(async () => {
  for (const { kind, name } of await listed()) await ask('DELETE', `/api/admin/switches/${kind}/${name}`);
});

async function ask(method: string, path: string, body?: unknown, token = olga) {
  const response = await fetch(harness.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, text, json };
}

const set = (place: string, body?: unknown) => ask('PUT', `/api/admin/switches/${place}`, body);
const unset = (place: string) => ask('DELETE', `/api/admin/switches/${place}`);

async function listed(): Promise<ListedSwitch[]> {
  return (await ask('GET', '/api/admin/switches')).json!.switches as ListedSwitch[];
}

const audits = () =>
  harness.log.filter((line) => line.includes('"audit":"switch_')).map((line) => JSON.parse(line) as object);

describe('switches over HTTP', () => {
  it('are rows that say who switched what, when and why; the last writer wins', async () => {
    const { status, json } = await set('toolset/web', { reason: ' it\u202e\u001b[2J\nis slow ' });
    const row = { kind: 'toolset', name: 'web', by: 'olga', at: expect.any(String), reason: 'it is slow' };
    expect([status, json]).toEqual([200, { ...row, is_known: true }]);
    expect(await listed()).toEqual([row]);
    await set('toolset/web');
    const { reason: _, ...withoutReason } = row;
    expect(await listed()).toEqual([withoutReason]);
    expect((await unset('toolset/web')).status).toBe(204);
    expect((await unset('toolset/web')).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it('are audited, and every orchestrator is told to read them', async () => {
    const isTold = ({ type }: Message) => type === 'switches.changed';
    const [toldBefore, auditedBefore] = [harness.asked.filter(isTold).length, audits().length];
    await set('tool/web.search', { reason: 'it lies' });
    await unset('tool/web.search');
    const place = { kind: 'tool', name: 'web.search', user_id: 'olga' };
    expect(audits().slice(auditedBefore)).toEqual([
      expect.objectContaining({ audit: 'switch_set', reason: 'it lies', ...place }),
      expect.objectContaining({ audit: 'switch_unset', ...place }),
    ]);
    await waitFor(() => harness.asked.filter(isTold).length === toldBefore + 2, { what: 'both messages' });
  });

  it('tell whether a living worker has the toolset or the tool', async () => {
    for (const [place, isKnown] of [
      ['toolset/wob', false],
      ['tool/web.search', true],
      ['tool/web.find', false],
      ['turns/all', true],
    ] as const)
      expect([place, (await set(place)).json!.is_known]).toEqual([place, isKnown]);
  });

  it('refuse what is not a switch, and say what would be one', async () => {
    for (const place of [
      'toolset/web.search',
      'toolset/We%20b',
      `toolset/${'x'.repeat(65)}`,
      'toolset/%00',
      'tool/web',
      'turns/some',
      'process/all',
      'logs/web',
      'planet/web',
    ]) {
      const { status, json } = await set(place, place.startsWith('logs') ? { level: 'debug' } : {});
      expect([place, status, json!.code]).toEqual([place, 422, 'invalid']);
      expect(json!.detail).toMatch(/must be/);
    }
    for (const body of [
      { reason: '' },
      { reason: '  ' },
      { reason: 'x'.repeat(501) },
      { reason: 1 },
      { level: 'debug' },
      { by: 'ann' },
      [],
      'web',
      null,
    ])
      expect([body, (await set('toolset/web', body)).json!.code]).toEqual([body, 'invalid']);
    expect((await set('logs/all')).json!.detail).toMatch(/level/);
    expect((await set('logs/all', { level: 'loud' })).status).toBe(422);
    expect(await listed()).toEqual([]);
  });

  it('of a tool or toolset accept what is quarantined of it and announced now, when they are undone', async () => {
    const { store } = harness;
    const about = { tool: 'web.search', toolset: 'web', version: '1.1.0', at: new Date().toISOString() };
    const contract = { class: 'read' as const, input_schema: { type: 'object' } };
    const state = { breaks: ['input q was removed'], state: 'pending' as const };
    const announced = definitionIdOf(announcedTool('web', 'search'));
    const states = async () =>
      (await store.listDefinitions(['web.search'])).map(({ _id, state, accepted_by }) => [
        _id,
        state,
        accepted_by,
      ]);
    await store.insertDefinition({ _id: announced, ...about, contract, ...state }, 10);
    await store.insertDefinition({ _id: 'web.search@gone', ...about, contract, ...state }, 10);
    await set('tool/web.fetch');
    expect((await unset('tool/web.fetch')).status).toBe(204);
    expect((await states()).map(([, state]) => state)).toEqual(['pending', 'pending']);
    await set('toolset/web');
    const { status, json } = await unset('toolset/web');
    expect([status, json]).toEqual([200, { accepted: [{ tool: 'web.search', version: '1.1.0' }] }]);
    expect((await states()).sort()).toEqual(
      [
        [announced, 'accepted', 'olga'],
        ['web.search@gone', 'pending', undefined],
      ].sort(),
    );
  });

  it('are 500 at most, which every process reads every 2 s', async () => {
    const names = Array.from({ length: 499 }, (_, i) => `set_${i}`);
    const by = { by: 'olga', at: new Date().toISOString() };
    for (const name of names)
      await harness.store.putSwitch({ _id: `toolset:${name}`, kind: 'toolset', name, ...by });
    expect((await set('toolset/web')).status).toBe(200);
    expect((await set('toolset/one_more')).json).toMatchObject({ code: 'overloaded' });
    expect((await set('toolset/web', { reason: 'why' })).status).toBe(200);
    await Promise.all(names.map((name) => harness.store.removeSwitch(`toolset:${name}`)));
  });

  it('of a process need one that exists, and end with it', async () => {
    const id = 'worker-00000000-0000-4000-8000-000000000009';
    expect((await set(`process/${id}`)).status).toBe(404);
    expect((await set(`logs/${id}`, { level: 'debug' })).status).toBe(404);
    await harness.store.insertProcess({ _id: id, role: 'worker', ...PROCESS });
    await set(`process/${id}`);
    await set(`logs/${id}`, { level: 'debug' });
    expect((await listed()).map(({ kind }) => kind).sort()).toEqual(['logs', 'process']);
    await harness.store.removeProcess(id);
    expect(await listed()).toEqual([]);
  });

  it('are hidden from users who are no operators', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', '/turns/all'],
      ['DELETE', '/turns/all'],
    ] as const)
      expect((await ask(method, `/api/admin/switches${path}`, undefined, ann)).status).toBe(403);
    expect(await listed()).toEqual([]);
  });
});

describe('refused turns', () => {
  const REASON = 'Back at nine.';
  const chat = { model: 'switchyard', messages: [{ role: 'user', content: 'hello' }] };

  it('are refused with the operator’s reason over the socket, HTTP and another front end’s contract', async () => {
    const client = await harness.connect({ token: ann });
    const { conversation_id } = await client.send('before');
    await set('turns/all', { reason: REASON });
    expect((await client.request('message', { content: 'now' })).error).toEqual({
      code: 'unavailable',
      message: REASON,
      retry_after_ms: expect.any(Number),
    });
    const posted = await ask('POST', `/api/conversations/${conversation_id}/turns`, { content: 'now' }, ann);
    expect([posted.status, posted.json]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', detail: REASON }),
    ]);
    expect(Number(posted.headers.get('retry-after'))).toBeGreaterThan(0);
    const answered = await ask('POST', '/v1/chat/completions', chat, ann);
    expect([answered.status, answered.text]).toEqual([503, expect.stringContaining(REASON)]);
    await unset('turns/all');
    await client.send('after');
  });

  it('are counted by their reason, and accepted messages stay accepted', async () => {
    const client = await harness.connect({ token: ann });
    const accepted = await client.send('once', { client_message_id: 'once' });
    await set('turns/all');
    expect(await client.send('once', { client_message_id: 'once' })).toEqual(accepted);
    const counted = async () => {
      const metrics = await (await fetch(`${harness.url}/metrics`)).text();
      return Number(/switchyard_refusals_total\{limit="operator"\} (\d+)/.exec(metrics)?.[1] ?? 0);
    };
    const before = await counted();
    const { error } = await client.request('message', { content: 'twice' });
    expect(error?.message).toBe('New messages are not accepted right now.');
    expect(await counted()).toBe(before + 1);
  });
});

describe('a draining gateway', () => {
  it('refuses new connections until that is undone, and serves those that it has', async () => {
    const client = await harness.connect({ token: ann });
    await set(`process/${GATEWAY_ID}`);
    await expect(harness.connect({ token: ann })).rejects.toThrow();
    await client.send('still here');
    await unset(`process/${GATEWAY_ID}`);
    await harness.connect({ token: ann });
  });
});

describe('switches on the command line', () => {
  const switchyard = (...words: string[]) => runSwitchyard(harness.url, olga, ...words);

  it('pause and resume toolsets and tools', async () => {
    expect(await switchyard('switches')).toBe('Nothing is switched.\n');
    expect(await switchyard('pause', 'web', '--reason', 'slow')).toBe(
      'Paused: web. Calls that run now finish.\n',
    );
    expect(await switchyard('pause', 'web.find')).toContain('No living worker has web.find.');
    const table = await switchyard('switches');
    expect(table).toMatch(/^toolset +web +olga +\S+ +slow$/m);
    expect(table).toMatch(/^tool +web\.find +olga +\S+ +-$/m);
    expect(await switchyard('resume', 'web')).toBe('As before: web.\n');
    await switchyard('resume', 'web.find');
    expect(await listed()).toEqual([]);
  });

  it('resume a quarantined tool with the definition that this accepts, or say that there is none', async () => {
    const { store } = harness;
    const quarantine = async (tool: string) =>
      store.putSwitch({
        ...{ _id: `tool:${tool}`, kind: 'tool', name: tool, by: 'quarantine' },
        ...{ reason: 'Version 1.1.0 breaks calls.', at: new Date().toISOString() },
      });
    const announced = announcedTool('web', 'read');
    await store.insertDefinition(
      {
        ...{ _id: definitionIdOf(announced), tool: 'web.read', toolset: 'web', version: '1.1.0' },
        ...{ contract: { class: 'read', input_schema: {} }, breaks: ['x'], state: 'pending' },
        at: new Date().toISOString(),
      },
      10,
    );
    await quarantine('web.read');
    expect(await switchyard('resume', 'web.read')).toBe(
      'As before: web.read.\nAccepted for good: the definition of web.read that its workers have now, version 1.1.0.\n',
    );
    await quarantine('web.read');
    expect(await switchyard('resume', 'web.read')).toMatch(
      /^As before: web\.read\.\nAccepted nothing: no worker/,
    );
  });

  it('resume only what is switched, also toolsets that are called like a switch', async () => {
    await expect(switchyard('resume', 'web')).rejects.toThrow('Nothing named web is switched. Nothing is.');
    await switchyard('pause', 'turns');
    await switchyard('refuse-turns');
    await expect(switchyard('resume', 'wbe')).rejects.toThrow('Switched: turns.');
    await switchyard('resume', 'turns');
    expect(await listed()).toMatchObject([{ kind: 'toolset', name: 'turns' }]);
    await switchyard('resume', 'turns');
    expect(await listed()).toEqual([]);
    await expect(switchyard('pause', '')).rejects.toThrow('Name a toolset or a tool.');
  });

  it('drain a process, refuse turns and choose a log level', async () => {
    await switchyard('drain', GATEWAY_ID, '--reason', 'new disk');
    await switchyard('refuse-turns', '--reason', 'Back at nine.');
    await switchyard('log-level', 'debug');
    await switchyard('log-level', 'warn', '--process', GATEWAY_ID);
    const { switches } = JSON.parse(await switchyard('switches', '--json')) as { switches: ListedSwitch[] };
    expect(switches.map(({ kind, name, reason, level }) => [kind, name, reason ?? level]).sort()).toEqual([
      ['logs', 'all', 'debug'],
      ['logs', GATEWAY_ID, 'warn'],
      ['process', GATEWAY_ID, 'new disk'],
      ['turns', 'all', 'Back at nine.'],
    ]);
    for (const words of [[GATEWAY_ID], ['turns'], ['logs'], ['logs', '--process', GATEWAY_ID]])
      await switchyard('resume', ...words);
    expect(await listed()).toEqual([]);
  });

  it('say what is wrong', async () => {
    await expect(switchyard('log-level', 'loud')).rejects.toThrow(/level/);
    await expect(switchyard('pause', 'We b')).rejects.toThrow(/must be a toolset/);
    await expect(switchyard('drain', 'worker-00000000-0000-4000-8000-000000000009')).rejects.toThrow(/not/i);
  });
});
