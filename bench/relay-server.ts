import { createServer } from 'node:http';
import { Server } from 'socket.io';
import type { EventOf } from '#contracts';
import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { createLogger, createMetrics, Health } from '#observability';
import { createStore, type Store } from '#store';
import { startGateway } from '../apps/gateway/start-gateway.app.js';
import type { GatewayDeps } from '../apps/gateway/gateway.deps.js';
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
  const broker = new MemoryBroker();
  const [gatewayBus, publisher] = [createMemoryBus({ broker }), createMemoryBus({ broker })];
  await Promise.all([gatewayBus.open(), publisher.open()]);
  const gateway = await startGateway(gatewayDeps(store, gatewayBus), { port: 0, host: '127.0.0.1' });
  let isStarted = false;
  return {
    port: gateway.port,
    io: () => gateway.gateway.sessions.server(),
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

function gatewayDeps(store: Store, bus: Bus): GatewayDeps {
  return {
    store,
    bus,
    processId: 'gateway-bench',
    peers: { isDead: async () => false, isSuspect: async () => false },
    config: {
      auth: { kind: 'none' },
      corsOrigins: [],
      allowedHosts: [],
      trustedProxies: [],
      limits: {
        connectionsPerMinute: 100_000,
        turnsAtOnce: 40,
        messagesPerMinute: 100_000,
        allConnectionsPerMinute: 100_000,
        sockets: 100_000,
        socketsPerUser: 100_000,
        streamsPerUser: 100_000,
        bytesPerMinute: 100_000_000_000,
        joinedPerSocket: 200,
        requestsPerSocket: 64,
        httpRequests: 1_000,
        waitingTurns: 50_000,
        wrongPasswordsPerMinute: 10,
        wrongPasswordsPerAddress: 100,
        registrationsPerAddress: 100,
      },
    },
    logger: createLogger({ role: 'bench', level: 'error', pretty: false }),
    health: new Health(),
    metrics: createMetrics({ collectDefaults: false }),
  };
}
