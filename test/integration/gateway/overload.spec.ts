import { request as httpRequest, type ClientRequest } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newMessage } from '#contracts';
import { systemTime } from '#time';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness, type HarnessOptions } from './gateway-harness.js';
import { holding } from './holding-store.js';
import { RawClient } from './raw-client.js';

let harness: Harness;
afterEach(() => harness.stop());

async function start(options: HarnessOptions): Promise<Harness> {
  harness = await startHarness(options);
  return harness;
}

const OVERLOADED = { code: 'overloaded', retry_after_ms: expect.any(Number) };

describe('overload limits of the gateway', () => {
  it('limit connections of all users together within a minute', async () => {
    await start({ limits: { allConnectionsPerMinute: 2 } });
    await harness.connect();
    await harness.connect();
    await expect(harness.connect()).rejects.toMatchObject({ data: OVERLOADED });
  });

  it('count each refusal by its limit, and log once whom it refused', async () => {
    const limits = { connectionsPerMinute: 2, messagesPerMinute: 1, allConnectionsPerMinute: 100 };
    await start({ limits });
    const client = await harness.connect();
    await client.send('one');
    for (let more = 0; more < 2; more++) await client.request('message', { content: 'more' });
    await harness.connect();
    for (let more = 0; more < 2; more++) await expect(harness.connect()).rejects.toBeDefined();
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    for (const limit of ['connections_per_minute', 'messages_per_minute']) {
      expect(metrics).toContain(`switchyard_refusals_total{limit="${limit}"} 2`);
      const lines = harness.log.filter((line) => line.includes('limit reached') && line.includes(limit));
      expect(lines).toEqual([expect.stringContaining('"user_id":"local"')]);
    }
  });

  it('limit messages of one user within a minute, but no resend, over the socket and over HTTP', async () => {
    await start({ limits: { messagesPerMinute: 2 } });
    const client = await harness.connect();
    const first = await client.send('one', { client_message_id: 'm1' });
    await client.send('two');
    expect((await client.request('message', { content: 'three' })).error).toMatchObject(OVERLOADED);
    expect(await client.send('one', { client_message_id: 'm1' })).toEqual(first);
    const response = await fetch(`${harness.url}/api/conversations/${first.conversation_id}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'four' }),
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'overloaded' });
  });

  it('count new conversations and connections of one user within a minute, with the messages', async () => {
    await start({ limits: { messagesPerMinute: 3 } });
    const worker = 'worker-00000000-0000-4000-8000-000000000003';
    const toolsets = [announcedToolset('math', [announcedTool('math', 'add', 'Adds.')])];
    await harness.driver.send(
      'gateway.all',
      newMessage(systemTime(), 'catalog.announce', { worker, toolsets }),
    );
    const create = () => fetch(`${harness.url}/api/conversations`, { method: 'POST' });
    const connect = (session: string) =>
      fetch(`${harness.url}/connect/math`, { method: 'POST', headers: { 'x-session-id': session } });
    expect((await create()).status).toBe(201);
    await waitFor(async () => (await connect('one')).status === 200, { what: 'the server' });
    await (await harness.connect()).send('hello');
    const refused = await create();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      expect.objectContaining({ code: 'overloaded', detail: expect.any(String) }),
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([(await connect('two')).status, (await connect('one')).status]).toEqual([429, 200]);
    expect(await harness.store.listConversations('local', { skip: 0, limit: 10 })).toHaveLength(2);
  });

  it('let a refused message begin no conversation, in any session', async () => {
    await start({ limits: { messagesPerMinute: 1 } });
    await (await harness.connect()).send('hello');
    const refused = await fetch(`${harness.url}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 'new' },
      body: '{"message":"hello"}',
    });
    expect(refused.status).toBe(429);
    expect(await harness.store.listConversations('local', { skip: 0, limit: 10 })).toHaveLength(1);
  });

  it('limit turns of one user at once, even when all arrive simultaneously', async () => {
    await start({ limits: { turnsAtOnce: 3 } });
    const client = await harness.connect();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client.request('message', { content: `message ${i}` })),
    );
    const refused = answers.filter(({ error }) => error);
    expect(refused).toHaveLength(17);
    for (const { error } of refused) expect(error).toMatchObject(OVERLOADED);
  });

  it('limit open sockets until one has closed', async () => {
    await start({ limits: { sockets: 1 } });
    const first = await harness.connect();
    await expect(harness.connect()).rejects.toMatchObject({ data: OVERLOADED });
    first.close();
    await waitFor(
      () =>
        harness.connect().then(
          () => true,
          () => false,
        ),
      { what: 'room' },
    );
  });

  it('limit unauthenticated connections', async () => {
    await start({ limits: { unknownSockets: 5 } });
    const silent = Array.from({ length: 5 }, () => RawClient.open(harness.url));
    await waitFor(() => silent.every((raw) => raw.packets('0').length > 0), { what: 'the handshakes' });
    // Four times as many wait for a place.
    const more = Array.from({ length: 21 }, () => RawClient.open(harness.url));
    await waitFor(() => more.some((raw) => raw.isClosed), { what: 'the refusal' });
    expect(more.filter((raw) => raw.isClosed).map(({ frames }) => frames)).toEqual([[]]);
    for (const raw of more) raw.socket.terminate();
    for (const raw of silent) raw.socket.terminate();
  });

  it('limit conversations that one socket follows', async () => {
    await start({ limits: { joinedPerSocket: 1 } });
    const client = await harness.connect();
    const { conversation_id } = await client.send('one');
    expect((await client.request('message', { content: 'two' })).error).toMatchObject(OVERLOADED);
    expect(await client.request('message', { content: 'three', conversation_id })).not.toHaveProperty(
      'error',
    );
  });

  it('limit requests of one socket without an answer', async () => {
    const { alter, release } = holding('getConversation');
    await start({ alter, limits: { requestsPerSocket: 2 } });
    const client = await harness.connect();
    const held = [1, 2].map(() => client.request('join', { conversation_id: 'conv_1' }));
    expect((await client.request('ping')).error).toMatchObject(OVERLOADED);
    release();
    expect((await Promise.all(held)).map(({ error }) => error?.code)).toEqual(['not_found', 'not_found']);
    expect(await client.request('ping')).toEqual({});
  });

  it('limit HTTP requests without an answer, but never the health check', async () => {
    const { alter, release, isAsked } = holding('listConversations');
    await start({ alter, limits: { httpRequests: 1 } });
    const held = fetch(`${harness.url}/api/conversations`);
    await isAsked();
    const refused = async () => {
      const response = await fetch(`${harness.url}/api/tools`);
      return response.status === 503 ? response : undefined;
    };
    const response = await waitFor(refused, { what: 'a refusal' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ status: 503, code: 'overloaded' });
    expect((await fetch(`${harness.url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${harness.url}/metrics`)).status).toBe(200);
    release();
    expect((await held).status).toBe(200);
    expect((await fetch(`${harness.url}/api/tools`)).status).toBe(200);
  });

  it('free the place of a client that leaves', async () => {
    const { alter, release, isAsked } = holding('listConversations');
    await start({ alter, limits: { httpRequests: 1 } });
    const asking: ClientRequest = httpRequest(`${harness.url}/api/conversations`);
    asking.on('error', () => undefined);
    asking.end();
    await isAsked();
    const statusNow = async () => (await fetch(`${harness.url}/api/tools`)).status;
    await waitFor(async () => (await statusNow()) === 503, { what: 'a full gateway' });
    asking.destroy();
    await waitFor(async () => (await statusNow()) === 200, { what: 'room' });
    release();
  });

  it('refuse messages while too many turns wait for an orchestrator, and leave nothing behind', async () => {
    await start({ limits: { waitingTurns: 3 } });
    const client = await harness.connect();
    for (let at = 0; at < 3; at++)
      await harness.bus.publish(
        'turns',
        newMessage(systemTime(), 'turn.advance', { turn_id: 't', conversation_id: 'c' }),
      );
    const refusal = await waitFor(async () => (await client.request('message', { content: 'hello' })).error, {
      what: 'a refusal',
      intervalMs: 200,
    });
    expect(refusal).toMatchObject(OVERLOADED);
    const overHttp = await fetch(`${harness.url}/api/conversations`, { method: 'POST' });
    const { id } = (await overHttp.json()) as { id: string };
    const turn = await fetch(`${harness.url}/api/conversations/${id}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"hello"}',
    });
    expect([turn.status, turn.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await harness.store.listTurns(id, { limit: 10 })).toEqual([]);
    await harness.driver.consume('turns', { prefetch: 100 }, async () => 'ack');
    const accepted = async () => 'turn_id' in (await client.request('message', { content: 'hello' }));
    await waitFor(accepted, { what: 'an open door', intervalMs: 200 });
  });
});

describe('a client that sends requests and does not read', () => {
  it('is disconnected before its answers fill the memory', async () => {
    await start({});
    const raw = await RawClient.enter(harness.url);
    raw.socket.pause();
    const { sessions } = harness.running.gateway;
    expect(sessions.size).toBe(1);
    let id = 0;
    // Its kernel takes some megabytes of answers before anything waits in the process.
    while (sessions.size > 0 && id < 2_000_000) {
      for (let burst = 0; burst < 2_000; burst++) raw.socket.send(`42${id++}["ping"]`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sessions.size).toBe(0);
    raw.socket.terminate();
  }, 60_000);

  it('gets one snapshot for all of its joins, so that they use no memory', async () => {
    await start({});
    const sender = await harness.connect();
    const content = 'x'.repeat(60_000);
    const { conversation_id } = await sender.send(content);
    for (let at = 0; at < 10; at++) await sender.send(content, { conversation_id });
    const raw = await RawClient.enter(harness.url);
    raw.socket.pause();
    const joins = 60;
    for (let at = 0; at < joins; at++) {
      raw.socket.send(`42${at}["join",{"conversation_id":"${conversation_id}"}]`);
      await sender.request('ping');
    }
    raw.socket.resume();
    await waitFor(() => raw.packets('43').length === joins, { what: 'the answers', timeoutMs: 20_000 });
    await sender.send('the last one', { conversation_id });
    await waitFor(() => raw.frames.some((frame) => frame.includes('the last one')), { what: 'what follows' });
    const snapshots = raw.packets('42["snapshot"').length;
    expect(snapshots).toBeGreaterThan(0);
    expect(snapshots).toBeLessThan(joins / 2);
  }, 60_000);
});

describe('a body of a type other than JSON', () => {
  const post = (headers: Record<string, string>, body?: string) =>
    fetch(`${harness.url}/api/conversations`, { method: 'POST', headers, body });

  it('is refused instead of being ignored', async () => {
    await start({});
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const response = await post({ 'content-type': type }, '{"title":"mine"}');
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([415, 'invalid']);
    }
  });

  it('may be missing, and JSON may name its characters', async () => {
    await start({});
    expect((await post({})).status).toBe(201);
    const named = await post({ 'content-type': 'application/json; charset=utf-8' }, '{"title":"mine"}');
    expect(await named.json()).toMatchObject({ title: 'mine' });
  });
});
