import { createServer } from 'node:http';
import { Server } from 'socket.io';
import type { EventOf } from '#contracts';
import { createStore, type Store } from '#store';
import { startBenchGateway } from './bench-gateway.js';
import { turnRow } from './fleet.js';

/*
 * Sends the same tokens to its viewers, as a bare Socket.IO server (`raw`) or as a gateway that gets them from the
 * bus (`gateway`). Told over IPC: { tokens } sends that many and answers when the last one was handed over.
 */

const CONVERSATION = 'bench_relay';
const TURN = `${CONVERSATION}_t1`;
const CONTENT = 'Sixty-four characters of text, as a model writes it in a moment. ';
/** Given to the event loop in bursts, as tokens come. */
const BURST = 20;

type Emit = (event: EventOf<'token'>) => void;

const { port, emit, io } = process.argv[2] === 'raw' ? await startRaw() : await startOurs();
process.send?.({ port, conversation: CONVERSATION });
process.on('message', ({ tokens }: { tokens: number }) => void sendTokens(tokens));
let offset = 0;

async function sendTokens(count: number): Promise<void> {
  const timestamp = new Date().toISOString();
  for (let i = 0; i < count; i++) {
    const place = { conversation_id: CONVERSATION, turn_id: TURN, step: 1, attempt: 100, timestamp };
    emit({ type: 'token', ...place, content: CONTENT, offset });
    offset += CONTENT.length;
    if (i % BURST === BURST - 1) await drained();
  }
}

/** The source is as fast as its viewers: neither side is measured at how it drops or queues what they cannot take. */
async function drained(): Promise<void> {
  const connections = Object.values(
    (io().engine as unknown as { clients: Record<string, { writeBuffer: unknown[] }> }).clients,
  );
  do await new Promise((resolve) => setImmediate(resolve));
  while (connections.some(({ writeBuffer }) => writeBuffer.length > 0));
}

interface Side {
  port: number;
  emit: Emit;
  io: () => Server;
}

async function startRaw(): Promise<Side> {
  const http = createServer();
  const io = new Server(http, { transports: ['websocket'], perMessageDeflate: false, serveClient: false });
  io.on('connection', (socket) => {
    socket.on('join', (_payload: unknown, ack?: (answer: object) => void) => {
      void socket.join(CONVERSATION);
      ack?.({});
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  return { port, io: () => io, emit: (event) => void io.to(CONVERSATION).emit(event.type, event) };
}

async function startOurs(): Promise<Side> {
  const store = await storeWithOneRunningTurn();
  const { port, gateway, publisher } = await startBenchGateway(store);
  let isStarted = false;
  return {
    port,
    io: () => gateway.sessions.server(),
    emit: (event) => {
      const { conversation_id, turn_id, timestamp, step, attempt } = event;
      const place = { conversation_id, turn_id, timestamp, step, attempt };
      if (!isStarted) publisher.emit({ type: 'step_started', ...place, settled: [] });
      isStarted = true;
      publisher.emit(event);
    },
  };
}

async function storeWithOneRunningTurn(): Promise<Store> {
  const store = createStore({ dataDir: ':memory:' });
  await store.open();
  const at = new Date().toISOString();
  const conversation = { _id: CONVERSATION, user_id: 'local', title: '', policy: 'enqueue' as const };
  await store.insertConversation({ ...conversation, created_at: at, updated_at: at });
  await store.insertTurn(turnRow(CONVERSATION, 1, 'queued'));
  const claim = { turn_id: TURN, conversation_id: CONVERSATION, owner: 'orchestrator-bench', at };
  await store.claim({ _id: `${TURN}:1`, ...claim, n: 1, purpose: 'run' });
  return store;
}
