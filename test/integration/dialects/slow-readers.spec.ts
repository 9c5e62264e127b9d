import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMetrics } from '#observability';
import { bytesInUse } from '../../services/heap.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Client, type Harness } from '../gateway/gateway-harness.js';
import { PlayedTurn } from '../gateway/played-turn.js';
import { ServerSockets } from '../server-sockets.js';
import { openRaw } from './raw-http.js';

/*
 * Somebody asks in a dialect and reads no further; somebody else follows the same turn over the client protocol. What
 * mcp-chat-sse says of a turn it says at its end: mcp-chat-readers.spec.ts.
 */

const MIB = 1024 * 1024;
const PIECE = 'x'.repeat(8_000);
const BURST = 25;
/** Told after the server has begun to wait: 4 MB, of which the stream may hold 256 KiB. */
const MORE_BURSTS = 20;
const TEST_MS = 120_000;

interface Stream {
  path: string;
  body: object;
  /** What it passes on while the turn is under way. */
  passes: 'thinking' | 'token';
  /** What its last event has. */
  end: string;
}

const STREAMS: Record<string, Stream> = {
  openai: {
    path: '/v1/chat/completions',
    body: { model: 'switchyard', stream: true, messages: [{ role: 'user', content: 'hello' }] },
    passes: 'token',
    end: 'data: [DONE]',
  },
  'ag-ui': {
    path: '/ag-ui',
    body: { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hello' }] },
    passes: 'thinking',
    end: '"type":"RUN_FINISHED"',
  },
  'chat-artifacts-ndjson': {
    path: '/api/chat-artifacts',
    body: { message: 'hello' },
    passes: 'thinking',
    end: '"message":"Response complete","final":true',
  },
};

let harness: Harness;
const sockets = new ServerSockets();
const metrics = createMetrics({ collectDefaults: false });
const dropped = async () => (await metrics.eventsDropped.get()).values[0]?.value ?? 0;

beforeAll(async () => {
  sockets.note();
  harness = await startHarness({ alter: () => ({ metrics }) });
});
afterAll(async () => {
  sockets.destroy();
  await harness.stop();
});

/** A turn that somebody has asked for who reads no more than the head of the answer. */
async function askAndStopReading({ path, body }: Stream) {
  const raw = openRaw(harness.url, path, body);
  await waitFor(() => raw.text().includes('\r\n\r\n'), { what: 'the head of the answer' });
  const turnId = /^x-turn-id: (.*)$/im.exec(raw.text())![1]!.trim();
  const server = await sockets.of(raw.socket);
  // As if the kernel took nothing more: its buffers may be larger than any text.
  server.cork();
  return { raw, server, played: await PlayedTurn.take(harness, turnId) };
}

/**
 * Passes on what a model thinks or says; the loop has its turn in between, as between events of a real bus. `other`
 * reads, and must not be the slow one by chance: a burst is less than what makes a viewer be behind.
 */
async function flood(
  played: PlayedTurn,
  passes: Stream['passes'],
  from: number,
  other: Client,
): Promise<number> {
  for (let i = 0; i < BURST; i++) {
    const offset = from + i * PIECE.length;
    if (passes === 'token') played.token(1, PIECE);
    else played.emit({ type: 'thinking', ...played.fields, step: 1, attempt: 100, content: PIECE, offset });
    if (i % 5 === 4) await new Promise((resolve) => setImmediate(resolve));
  }
  const said = from + BURST * PIECE.length;
  await waitFor(() => lengthTold(other, passes) === said, {
    what: 'the other one keeping up',
    intervalMs: 1,
  });
  return said;
}

function lengthTold(client: Client, passes: Stream['passes']): number {
  return client.events(passes).reduce((sum, { content }) => sum + content.length, 0);
}

it.each(Object.entries(STREAMS))(
  'a client that stops reading %s delays no other client, uses bounded memory, and gets the whole end later',
  async (_dialect, stream) => {
    const { passes } = stream;
    const { raw, server, played } = await askAndStopReading(stream);
    const other = await harness.connect();
    await other.request('join', { conversation_id: played.turn.conversation_id });
    // Of what is told before its first snapshot it would only see the text.
    await other.event('snapshot');
    await played.start();
    played.beginStep(1);
    let said = 0;
    const isWaiting = async () => {
      said = await flood(played, passes, said, other);
      return server.writableNeedDrain;
    };
    await waitFor(isWaiting, {
      what: 'a server that waits for its client',
      timeoutMs: 30_000,
      intervalMs: 1,
    });

    const [bytesBefore, droppedBefore] = [bytesInUse(), await dropped()];
    for (let i = 0; i < MORE_BURSTS; i++) said = await flood(played, passes, said, other);
    expect(server.writableNeedDrain).toBe(true);
    expect(server.writableLength).toBeLessThan(MIB);
    expect(await dropped()).toBeGreaterThan(droppedBefore);
    // The other one remembers, and what is said is kept in views; what is thought nowhere.
    other.received.length = 0;
    if (passes === 'thinking')
      await waitFor(() => bytesInUse() - bytesBefore < 2 * MIB, { what: 'memory below its bound' });

    const text = passes === 'token' ? 'x'.repeat(said) : 'It is done.';
    played.complete(await played.commit(1, text));
    const isTold = () => other.events('complete').length === 1;
    await waitFor(isTold, { what: 'the end, for the other one', timeoutMs: 30_000 });
    expect(server.writableNeedDrain).toBe(true);
    server.uncork();
    expect((await raw.whole).trimEnd().split('\n').slice(-4).join('\n')).toContain(stream.end);
    other.close();
  },
  TEST_MS,
);
