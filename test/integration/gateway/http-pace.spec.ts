import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HttpTimings } from '../../../apps/gateway/door/http/http-timings.js';
import { makeArtifact } from '../../../libs/tools/make-artifact.js';
import { RawConnection, type Begun } from '../../services/raw-connection.js';
import { waitFor } from '../../services/wait-for.js';
import {
  JWT_SECRET,
  signTestToken,
  startHarness,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';

/** Of one kind at a time: the others would need longer than any test takes. */
const PATIENT: HttpTimings = {
  headersMs: 600_000,
  body: { patienceMs: 600_000, bytesPerSecond: 1 },
  answerMs: 600_000,
  strangersAnswerMs: 600_000,
  strangersWholeAnswerMs: 600_000,
  lookMs: 20,
};
const HEAD = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n';

let harness: Harness;
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  await harness.stop();
});

async function start(timings: Partial<HttpTimings>, options: HarnessOptions = {}): Promise<void> {
  const alter = () => ({ httpTimings: { ...PATIENT, ...timings } });
  harness = await startHarness({ ...options, alter });
}

async function open(text = ''): Promise<RawConnection> {
  const connection = await RawConnection.open({ port: harness.running.port });
  connections.push(connection);
  connection.send(text);
  return connection;
}

async function begin(path: string, begun?: Begun): Promise<RawConnection> {
  const connection = await open();
  connection.begin(path, begun);
  return connection;
}

/** Names of the limits that the log has a line of. */
const limitsReached = () =>
  harness.log.flatMap((line) => {
    const { limit } = JSON.parse(line) as { limit?: string };
    return limit === undefined ? [] : [limit];
  });

const IMPATIENT_BODY = { ...PATIENT.body, patienceMs: 100 };

describe('an HTTP body that does not arrive', () => {
  it.each(['/api/conversations', '/api/chat-artifacts'])(
    '%s: is 408, and the connection is closed',
    async (path) => {
      await start({ body: IMPATIENT_BODY });
      const connection = await begin(path);
      await connection.closed();
      expect(connection.statuses).toEqual([408]);
      expect(connection.received).toMatch(/^Connection: close\r$/m);
      expect(connection.received).toContain('8 KiB');
      expect(limitsReached()).toEqual(['slow_bodies']);
    },
  );

  it.each([
    ['/health/live', 'GET', 200],
    ['/health/x', 'POST', 404],
    ['/socket.io/?EIO=4&transport=polling', 'POST', 400],
  ])(
    '%s %s: the connection is closed after an answer that did not need the body',
    async (path, method, status) => {
      await start({ body: IMPATIENT_BODY });
      const connection = await begin(path, { method });
      await connection.closed();
      expect([path, ...connection.statuses]).toEqual([path, status === 404 ? 408 : status]);
    },
  );

  it('is not requested before the request has a place', async () => {
    await start({}, { limits: { httpRequests: 1 } });
    const expecting = { headers: { Expect: '100-continue' }, length: 2, body: '' };
    const first = await begin('/api/conversations', expecting);
    expect(await first.status()).toBe(100);
    const second = await begin('/api/conversations', expecting);
    expect(await second.status()).toBe(503);
    first.send('{}');
    await waitFor(() => first.statuses.includes(201), { what: 'the conversation' });
  });

  it('is refused with an unknown Expect header', async () => {
    await start({});
    const connection = await begin('/api/conversations', { headers: { Expect: 'the-unexpected' } });
    await connection.closed();
    expect(connection.statuses).toEqual([417]);
  });
});

describe('an HTTP connection', () => {
  it('whose headers do not arrive, for the first or the second request, is closed', async () => {
    await start({ headersMs: 100 });
    const first = await open('GET / HTTP/1.1\r\nHost: ');
    await first.closed();
    expect(first.statuses).toEqual([408]);
    const second = await open(`${HEAD}\r\n`);
    await second.status();
    second.send('GET / HTTP/1.1\r\nHost: ');
    await second.closed();
    expect(second.statuses).toEqual([200, 408]);
    expect(limitsReached()).toEqual(['slow_headers']);
  });

  it('without any bytes is closed, without a log entry', async () => {
    await start({ headersMs: 100 });
    await (await open()).closed();
    expect(limitsReached()).toEqual([]);
  });

  it('that is idle is closed for a new one; one with a running request is not', async () => {
    await start({}, { limits: { idleConnections: 2 } });
    const busy = await begin('/api/conversations', { length: 2 });
    await waitFor(async () => (await (await fetch(`${harness.url}/health/live`)).text()) !== '', {
      what: 'health',
    });
    const idle = [await open(), await open()];
    const next = await open(`${HEAD}\r\n`);
    expect(await next.status()).toBe(200);
    await idle[0]!.closed();
    busy.send('}');
    expect(await busy.status()).toBe(201);
    expect(limitsReached()).toEqual(['idle_connections']);
  });

  it('with many requests at once is closed', async () => {
    await start({});
    const connection = await open(`${HEAD}\r\n`.repeat(100));
    await connection.closed();
    expect(connection.statuses.length).toBeLessThanOrEqual(16);
    expect(limitsReached()).toEqual(['pipelined_requests']);
  });

  it('that reads nothing of its answer is closed; one that waits for it is not', async () => {
    await start({ answerMs: 200 });
    const waiting = await begin('/ag-ui', {
      ...wholeOf({ threadId: 't', runId: 'r', messages: [{ id: '1', role: 'user', content: 'hello' }] }),
    });
    expect(await waiting.status()).toBe(200);
    const artifact = makeArtifact(
      { user_id: 'local', conversation_id: await newConversation(), turn_id: 't', tool_call_id: 'c' },
      { content: 'x'.repeat(8 * 1024 * 1024), contentType: 'text/plain' },
      new Date().toISOString(),
    );
    await harness.store.putArtifact(artifact);
    const stuck = await open();
    stuck.socket.pause();
    stuck.send(`GET /api/artifacts/${artifact._id} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(3));
    await waitFor(() => limitsReached().includes('untaken_answers'), { what: 'the end of the connection' });
    expect(waiting.isClosed).toBe(false);
  });

  it('that reads an answer byte by byte is eventually closed if its user is unknown', async () => {
    const pageDir = await mkdtemp(join(tmpdir(), 'page-'));
    await writeFile(join(pageDir, 'large.txt'), Buffer.alloc(16 * 1024 * 1024, 'x'));
    const auth = { kind: 'jwt' as const, secret: JWT_SECRET };
    await start({ strangersWholeAnswerMs: 300 }, { pageDir, config: { auth } });
    const token = await signTestToken('ann');
    const [known, unknown] = [await open(), await open()];
    for (const { socket } of [known, unknown]) socket.pause();
    known.send(`GET /large.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    unknown.send('GET /large.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const over = new AbortController();
    void drip([known, unknown], over.signal);
    await waitFor(() => limitsReached().includes('slow_answers'), { what: 'the end of the connection' });
    over.abort();
    for (const { socket } of [known, unknown]) socket.resume();
    await Promise.all([
      unknown.closed(),
      waitFor(() => known.received.length > 16 * 1024 * 1024, { what: 'the whole' }),
    ]);
    expect(unknown.received.length).toBeLessThan(16 * 1024 * 1024);
    expect(limitsReached()).toEqual(['slow_answers']);
    await rm(pageDir, { recursive: true });
  });
});

/** Takes a little of each answer in every turn of the event loop. */
async function drip(takers: RawConnection[], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    for (const { socket } of takers) socket.read(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function newConversation(): Promise<string> {
  const made = await fetch(`${harness.url}/api/conversations`, { method: 'POST' });
  return ((await made.json()) as { id: string }).id;
}

function wholeOf(body: object): { body: string; length: number } {
  const text = JSON.stringify(body);
  return { body: text, length: text.length };
}
