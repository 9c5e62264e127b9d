import { afterEach, describe, expect, it } from '@jest/globals';
import { RawConnection } from '../../services/raw-connection.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from './gateway-harness.js';
import { holding } from './holding-store.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
const UPGRADE = { Connection: 'Upgrade', Upgrade: 'websocket' };

let harness: Harness;
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  await harness.stop();
});

/** A connection of which the first request is being answered, and stays so until `release`. */
async function openHeld(limits = {}): Promise<{ connection: RawConnection; release: () => void }> {
  const { alter, release, isAsked } = holding('listConversations');
  harness = await startHarness({ config: { auth: AUTH }, alter, limits });
  const connection = await RawConnection.open({ port: harness.running.port });
  connections.push(connection);
  await ask(connection, 'ann', '/api/conversations');
  await isAsked();
  return { connection, release };
}

async function ask(connection: RawConnection, user: string, path: string, headers = {}): Promise<void> {
  const authorization = `Bearer ${await signTestToken(user)}`;
  const all = { authorization, 'Content-Length': 0, ...headers };
  connection.begin(path, { method: 'GET', headers: all, body: '' });
}

async function post(connection: RawConnection, user: string, path: string, body: object, more = 0) {
  const authorization = `Bearer ${await signTestToken(user)}`;
  const text = JSON.stringify(body);
  connection.begin(path, { headers: { authorization }, body: text, length: text.length + more });
}

/** Resolves once the gateway has read what was sent on other connections before. */
async function readByNow(): Promise<void> {
  for (let round = 0; round < 3; round++) await statusOf('/health/live');
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(harness.url + path, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** What is not free any more. */
function held() {
  const { openStreams, bodies, artifacts, feeds } = harness.running.gateway;
  let streams = 0;
  try {
    openStreams.enter('bob')();
  } catch {
    streams = 1;
  }
  const { taken, waiting } = artifacts.places.size;
  return { streams, bytes: bodies.budget.held, artifacts: taken + waiting, viewers: feeds.viewers };
}

const NOTHING = { streams: 0, bytes: 0, artifacts: 0, viewers: 0 };
const RUN = { threadId: 'thread', runId: 'run', messages: [{ id: '1', role: 'user', content: 'hello' }] };
const LISTEN = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('pipelined requests', () => {
  it('are answered one after the other', async () => {
    const { connection, release } = await openHeld({ httpRequestsPerUser: 1 });
    await ask(connection, 'ann', '/api/nothing');
    await post(connection, 'ann', '/api/conversations', {});
    await ask(connection, 'ann', '/api/tools', { Connection: 'close' });
    await readByNow();
    expect(connection.statuses).toEqual([]);
    release();
    await connection.closed();
    expect(connection.statuses).toEqual([200, 404, 201, 200]);
  });

  it('hold no place, even when their client leaves', async () => {
    const { connection, release } = await openHeld({ httpRequestsPerUser: 2, httpRequests: 4 });
    for (let count = 0; count < 10; count++) await ask(connection, 'bob', '/api/tools');
    await readByNow();
    connection.close();
    await readByNow();
    release();
    const authorization = `Bearer ${await signTestToken('bob')}`;
    for (let count = 0; count < 3; count++) expect(await statusOf('/api/tools', { authorization })).toBe(200);
  });

  it.each<[what: string, send: (connection: RawConnection) => Promise<void>]>([
    ['a stream', (connection) => post(connection, 'bob', '/ag-ui', RUN)],
    ['a request to MCP', (connection) => post(connection, 'bob', '/mcp', LISTEN)],
    ['half a body', (connection) => post(connection, 'bob', '/api/conversations', {}, 1_000)],
    ['a file', (connection) => ask(connection, 'bob', '/api/artifacts/a')],
  ])('hold no resources when their client leaves: %s', async (_what, send) => {
    const { connection, release } = await openHeld({ streamsPerUser: 1 });
    await send(connection);
    await readByNow();
    expect(held()).toEqual(NOTHING);
    connection.close();
    await readByNow();
    release();
    await readByNow();
    expect(held()).toEqual(NOTHING);
    expect(await harness.store.countUnendedTurns('bob')).toBe(0);
  });
});

describe('a pipelined handshake', () => {
  it.each(['/nothing', '/ws/chat', '/socket.io/?EIO=4&transport=websocket'])(
    '%s: closes the connection and releases its resources',
    async (path) => {
      const { connection, release } = await openHeld({ httpRequests: 1 });
      await ask(connection, 'ann', path, UPGRADE);
      await connection.closed();
      expect(connection.received).toBe('');
      expect(harness.log.join('')).toContain('"limit":"pipelined_requests"');
      await waitFor(async () => (await statusOf('/api/nothing')) === 404, { what: 'the free place' });
      release();
    },
  );

  it('is checked as usual once the previous answer is complete', async () => {
    const { connection, release } = await openHeld();
    release();
    await connection.status();
    await waitFor(() => connection.received.endsWith('[]'), { what: 'the answer' });
    await ask(connection, 'ann', '/nothing', UPGRADE);
    await connection.closed();
    expect(connection.statuses).toEqual([200, 404]);
  });
});
