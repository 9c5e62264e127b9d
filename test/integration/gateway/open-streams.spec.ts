import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeArtifact } from '../../../libs/tools/make-artifact.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from './gateway-harness.js';
import { PlayedTurn } from './played-turn.js';

let harness: Harness;
const held: Held[] = [];
afterEach(async () => {
  for (const { leave } of held.splice(0)) leave();
  await harness.stop();
});

const jwt = { kind: 'jwt' as const, secret: JWT_SECRET };

async function start(streamsPerUser: number, config: object = { auth: jwt }): Promise<void> {
  harness = await startHarness({ config, limits: { streamsPerUser } });
}

interface Held {
  /** Kept: `fetch` cancels a body whose response nobody refers to any more. */
  answer: Promise<Response>;
  leave(): void;
}

/** Requests that one user has made, and how to leave them. */
class Asker {
  private constructor(private readonly token: string) {}

  static async as(user: string): Promise<Asker> {
    return new Asker(await signTestToken(user));
  }

  /** Resolves with what begins to come, which may be all that ever does. */
  post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}` };
    return fetch(harness.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }

  /** One that is held open until it is left. */
  hold(path: string, body: object): Held {
    const leaving = new AbortController();
    const answer = this.post(path, body, leaving.signal);
    answer.catch(() => undefined);
    const one = { answer, leave: () => leaving.abort() };
    held.push(one);
    return one;
  }
}

const run = { threadId: 'thread', runId: 'run-1', messages: [{ id: '1', role: 'user', content: 'hello' }] };
const completion = { model: 'switchyard', messages: [{ role: 'user', content: 'hello' }] };
const anyText = expect.any(String);

/** Every route whose answer lasts as long as a turn, and its refusal in its own form. */
const ROUTES: [path: string, body: object, refusal: object][] = [
  ['/ag-ui', run, { type: 'RUN_ERROR', message: anyText, code: 'overloaded' }],
  [
    '/v1/chat/completions',
    completion,
    { error: { message: anyText, type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' } },
  ],
  ['/chat', { message: 'hello' }, { detail: anyText }],
  ['/chat/stream', { message: 'hello' }, { detail: anyText }],
  ['/api/chat-artifacts', { message: 'hello' }, { error: anyText }],
  ['/api/chat', { message: 'hello' }, { error: anyText }],
  ['/api/chat-basic', { message: 'hello' }, { error: anyText }],
];

const unended = (user: string) => harness.store.countUnendedTurns(user);

async function heldBy(user: string, turns = 1): Promise<void> {
  await waitFor(async () => (await unended(user)) >= turns, { what: 'the turns' });
}

/** Whether the user may open one more. */
function isFree(user: string): boolean {
  try {
    harness.running.gateway.openStreams.enter(user)();
    return true;
  } catch {
    return false;
  }
}

describe('open streams of one user', () => {
  it.each(ROUTES)(
    '%s: one above the limit is refused and starts nothing until another has closed',
    async (path, body, refusal) => {
      await start(1);
      const ann = await Asker.as('ann');
      const { leave } = ann.hold(path, body);
      await heldBy('ann');
      const refused = await ann.post(path, body);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
      expect(await refused.json()).toEqual(refusal);
      expect(await unended('ann')).toBe(1);
      (await Asker.as('bob')).hold(path, body);
      await heldBy('bob');
      leave();
      await waitFor(() => isFree('ann'), { what: 'room for another stream' });
    },
  );

  it('are counted over all dialects, and the same run again counts once more', async () => {
    await start(2);
    const ann = await Asker.as('ann');
    const both = [ann.hold('/ag-ui', run), ann.hold('/ag-ui', run)];
    await Promise.all(both.map(({ answer }) => answer));
    const isFull = async () => (await ann.post('/api/chat', { message: ' ' })).status === 429;
    expect(await isFull()).toBe(true);
    expect(await unended('ann')).toBe(1);
    expect((await ann.post('/v1/chat/completions', completion)).status).toBe(429);
    for (const { leave } of both) leave();
    await waitFor(async () => !(await isFull()), { what: 'room for another stream' });
  });

  it('are released with the end of their turn, with a refusal, and with the process', async () => {
    await start(1);
    const ann = await Asker.as('ann');
    for (let at = 0; at < 3; at++) expect((await ann.post('/ag-ui', {})).status).toBe(422);
    const told = ann.post('/ag-ui', run);
    await heldBy('ann');
    expect(isFree('ann')).toBe(false);
    const [turn] = await harness.store.listUnendedTurnsOf('ann');
    const played = await PlayedTurn.take(harness, turn!._id);
    await played.answer('Hello.');
    expect(await (await told).text()).toContain('RUN_FINISHED');
    await waitFor(() => isFree('ann'), { what: 'the end of the stream' });
    await harness.store.setTurnStatus(turn!._id, 'completed');
    const cut = ann.post('/chat', { message: 'hello' });
    await heldBy('ann');
    harness.running.gateway.dialectTurns.stop();
    expect((await cut).status).toBe(503);
    await waitFor(() => isFree('ann'), { what: 'the end of the stream' });
  });

  it('include those of MCP clients', async () => {
    await start(1);
    const ann = await Asker.as('ann');
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${await signTestToken('ann')}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${harness.url}/mcp`), { requestInit }));
    const listening = await client.listen({ toolsListChanged: true });
    const refused = await ann.post('/mcp', {});
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ status: 429, code: 'overloaded' });
    expect((await ann.post('/ag-ui', run)).status).toBe(429);
    await listening.close();
    await waitFor(async () => (await ann.post('/mcp', {})).status !== 429, { what: 'room' });
    await client.close();
  });

  it('are as many as an MCP batch has requests, all or none', async () => {
    await start(3);
    const ann = await Asker.as('ann');
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const send = (count: number) =>
      ann.post(
        '/mcp',
        Array.from({ length: count }, (_, id) => list(id)),
      );
    const refused = await send(4);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const { leave } = ann.hold('/ag-ui', run);
    await heldBy('ann');
    expect((await send(3)).status).toBe(429);
    const answered = await ann.post('/mcp', [list(1), list(2)]);
    expect(answered.status).not.toBe(429);
    await answered.text();
    await waitFor(async () => (await send(2)).status !== 429, { what: 'the places of the batch before' });
    leave();
    await waitFor(async () => (await send(3)).status !== 429, { what: 'room for three' });
  });

  it('of one MCP batch answer with 16 MiB and little more', async () => {
    harness = await startHarness({});
    const place = { user_id: 'local', conversation_id: 'c', turn_id: 't', tool_call_id: 'c' };
    const made = await fetch(`${harness.url}/api/conversations`, { method: 'POST' });
    const { id: conversation_id } = (await made.json()) as { id: string };
    const kept = { content: 'x'.repeat(6 * 1024 * 1024), contentType: 'text/plain' };
    const artifact = makeArtifact({ ...place, conversation_id }, kept, new Date().toISOString());
    await harness.store.putArtifact(artifact);
    const uri = `artifact:///${artifact._id}`;
    const answered = await fetch(`${harness.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(
        Array.from({ length: 10 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'resources/read',
          params: { uri },
        })),
      ),
    });
    const text = await answered.text();
    expect(text.length).toBeGreaterThan(12 * 1024 * 1024);
    expect(text.length).toBeLessThan(24 * 1024 * 1024);
    expect(text.match(/too large together/g)).toHaveLength(7);
  });

  it('take a place of the gateway for each request of an MCP batch', async () => {
    harness = await startHarness({ config: { auth: jwt }, limits: { httpRequests: 2 } });
    const ann = await Asker.as('ann');
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ann.post('/mcp', [list, list, list])).status).toBe(429);
    expect((await ann.post('/mcp', [list])).status).not.toBe(429);
  });

  it('are not limited without accounts, where all users are one', async () => {
    await start(1, {});
    const ann = await Asker.as('ann');
    for (const threadId of ['one', 'two', 'three']) ann.hold('/ag-ui', { ...run, threadId });
    await heldBy('local', 3);
  });
});
