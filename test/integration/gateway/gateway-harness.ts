import { io, type Socket } from 'socket.io-client';
import { SignJWT } from 'jose';
import {
  newMessage,
  type Body,
  type ConversationEvent,
  type LogLevel,
  type Message,
  type Snapshot,
} from '#contracts';
import { noFaults } from '#faults';
import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { createLogger, createMetrics, Health } from '#observability';
import { createStore, type Store } from '#store';
import { SystemClock, systemTime } from '#time';
import { SkippingClock } from '#time/testing';
import { noSwitches, testPeers } from '#journal/testing';
import { gatewayDefaults } from '../../../apps/gateway/gateway-defaults.js';
import type { Gateway } from '../../../apps/gateway/gateway.js';
import { openConfig } from '../../../apps/gateway/testing/open-config.js';
import { startGateway, type RunningGateway } from '../../../apps/gateway/start-gateway.app.js';
import type { FeedTimings } from '../../../apps/gateway/feeds/feed-timings.js';
import type { GatewayConfig, GatewayDeps } from '../../../apps/gateway/gateway.deps.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { waitSkipping } from '../../services/wait-skipping.js';

export type Received = ConversationEvent | Snapshot;
export type Answer = Record<string, unknown> & {
  error?: { code: string; message: string; retry_after_ms?: number };
};

export const JWT_SECRET = 'a-secret-of-the-tests-that-is-long-enough';
/** In place of a quarter of a second each. */
const CHEAP_PASSWORDS = { N: 1_024, r: 8, p: 1 };
export const GATEWAY_ID = 'gateway-00000000-0000-4000-8000-000000000001';
export const DRIVER_ID = 'orchestrator-00000000-0000-4000-8000-000000000002';

const SOON_MS = 6_000;

/** Far more than any answer takes: only what never comes is not waited for. */
const PATIENCE_MS = 15_000;

/** The store is read for who joins and after a gap, not because a test was silent while the machine was busy. */
const TIMINGS: FeedTimings = {
  followMs: 200,
  rereadMs: 60,
  quietMs: 60_000,
  longestQuietMs: 60_000,
  lingerMs: 100,
};

/** For events that are lost without a trace: silence is doubted soon. */
export const DOUBTING_TIMINGS: FeedTimings = { ...TIMINGS, quietMs: 300, longestQuietMs: 600 };

export interface ConnectOptions {
  token?: string;
  /** A token in the address. */
  query?: string;
  headers?: Record<string, string>;
  /** Subprotocols of the WebSocket. */
  protocols?: string[];
  /** As Socket.IO's client does unless told otherwise. */
  reconnects?: boolean;
}

export type PlayedPartial = Pick<Body<'turn.partial'>, 'step' | 'attempt' | 'text'>;

export interface Harness {
  store: Store;
  /** The gateway's own bus; `driver` is another process on the same broker. */
  bus: Bus;
  driver: Bus;
  /** Control messages that the driver was sent. */
  asked: Message[];
  /** By turn: what the driver answers at once when it is asked for the text so far; it does not answer for others. */
  partials: Map<string, PlayedPartial>;
  /** Turns that the gateway has announced: from then on an orchestrator may know of them. */
  announced: Set<string>;
  /** The gateway's. */
  clock: SkippingClock;
  running: RunningGateway;
  url: string;
  log: string[];
  connect(options?: ConnectOptions): Promise<Client>;
  stop(): Promise<void>;
}

export const LIMITS: GatewayConfig['limits'] = {
  connectionsPerMinute: 1_000,
  turnsAtOnce: 40,
  messagesPerMinute: 100_000,
  allConnectionsPerMinute: 10_000,
  sockets: 1_000,
  socketsPerUser: 1_000,
  unknownSockets: 100,
  unknownSocketsPerAddress: 100,
  streamsPerUser: 1_000,
  bytesPerMinute: 100_000_000,
  joinedPerSocket: 200,
  requestsPerSocket: 64,
  httpRequests: 1_000,
  httpRequestsPerUser: 1_000,
  unknownRequests: 1_000,
  unknownRequestsPerAddress: 1_000,
  idleConnections: 5_000,
  idleConnectionsPerAddress: 5_000,
  bodyBytes: 268_435_456,
  bodyBytesPerUser: 104_857_600,
  largeBodiesPerUser: 2,
  waitingTurns: 1_000,
  wrongPasswordsPerMinute: 10,
  wrongPasswordsPerAddress: 100,
  registrationsPerAddress: 100,
};

export interface HarnessOptions {
  config?: Partial<Omit<GatewayConfig, 'limits'>>;
  limits?: Partial<GatewayConfig['limits']>;
  timings?: FeedTimings;
  /** Default: a free one. */
  port?: number;
  pageDir?: string;
  /** Default: `warn`. */
  logLevel?: LogLevel;
  /** To break or watch what the gateway uses. */
  alter?: (deps: GatewayDeps) => Partial<GatewayDeps>;
  /** Parts of the gateway that are taken instead of made. */
  given?: Partial<Gateway>;
}

/** A gateway on a free port with a store and a broker in memory; the tests play the orchestrator. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const broker = new MemoryBroker(new SystemClock());
  const bus = createMemoryBus({ broker, ...systemTime() });
  const driver = createMemoryBus({ broker, ...systemTime() });
  const store = createStore({ dataDir: ':memory:' });
  await Promise.all([store.open(), bus.open(), driver.open()]);
  const { asked, partials } = await playDriver(driver);
  const announced = watchAnnouncements(bus);
  const log: string[] = [];
  const clock = new SkippingClock();
  const health = new Health(clock);
  const deps: GatewayDeps = {
    ...systemTime(),
    ...gatewayDefaults(),
    clock,
    faultPoint: noFaults,
    store,
    bus,
    processId: GATEWAY_ID,
    peers: testPeers(),
    switches: noSwitches(),
    config: { ...openConfig({ ...LIMITS, ...options.limits }), ...options.config },
    logger: createLogger({
      role: 'gateway',
      level: options.logLevel ?? 'warn',
      pretty: false,
      destination: { write: (line) => log.push(line) },
    }),
    health,
    metrics: createMetrics({ collectDefaults: false }),
    timings: options.timings ?? TIMINGS,
    passwordCost: CHEAP_PASSWORDS,
    pageDir: options.pageDir ?? '/nonexistent',
  };
  const running = await startGateway(
    { ...deps, ...options.alter?.(deps) },
    {
      port: options.port ?? 0,
      host: '127.0.0.1',
    },
    options.given,
  );
  health.markStarted();
  const url = `http://127.0.0.1:${running.port}`;
  const clients: Client[] = [];
  return {
    store,
    bus,
    driver,
    asked,
    partials,
    announced,
    clock,
    running,
    url,
    log,
    connect: async (connectOptions) => {
      const client = new Client(url, connectOptions);
      clients.push(client);
      await client.connected();
      return client;
    },
    stop: async () => {
      for (const client of clients) client.close();
      await stopGateway(running, clock);
      await Promise.all([bus.close(), driver.close()]);
      await store.close();
    },
  };
}

/** A connection that was refused in the middle of its request lingers for a second. */
async function stopGateway(running: RunningGateway, clock: SkippingClock): Promise<void> {
  let hasStopped = false;
  const stopping = running.drain(500).then(() => (hasStopped = true));
  const stopped = waitSkipping(clock, () => hasStopped, { what: 'the end of the gateway', withinMs: 10_000 });
  await Promise.all([stopping, stopped]);
}

/** Whoever asks waits 300 ms: the answer must not wait for a test to look. */
async function playDriver(driver: Bus): Promise<Pick<Harness, 'asked' | 'partials'>> {
  const asked: Message[] = [];
  const partials = new Map<string, PlayedPartial>();
  await driver.onControl({ role: 'orchestrator', processId: DRIVER_ID }, (message) => {
    asked.push(message);
    if (message.type !== 'turn.peek') return;
    const { turn_id, request_id, reply_to } = message.body;
    const partial = partials.get(turn_id);
    if (!partial) return;
    void driver.send(reply_to, newMessage(systemTime(), 'turn.partial', { turn_id, request_id, ...partial }));
  });
  return { asked, partials };
}

function watchAnnouncements(bus: Bus): Set<string> {
  const announced = new Set<string>();
  const emit = bus.emit.bind(bus);
  bus.emit = (event) => {
    if (event.type === 'turn_queued') announced.add(event.turn_id);
    emit(event);
  };
  return announced;
}

/** For a token that ends while its test goes on, with `endTokens`. */
export function soon({ clock }: Harness): number {
  return Math.ceil((clock.wall() + SOON_MS) / 1000);
}

/** Lets the time pass in which tokens that end `soon` are good. */
export async function endTokens({ clock }: Harness): Promise<void> {
  await clock.skip(SOON_MS + 1_000);
}

export function signTestToken(
  userId: string,
  options: { expiresAt?: number; secret?: string } = {},
): Promise<string> {
  const { expiresAt = Math.floor(Date.now() / 1000) + 3600, secret = JWT_SECRET } = options;
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setExpirationTime(expiresAt)
    .sign(new TextEncoder().encode(secret));
}

/** A Socket.IO client that remembers everything in the order in which it came: events, and answers as `ack`. */
export class Client {
  readonly socket: Socket;
  readonly received: Received[] = [];
  /** Names of events, and `ack`, in order. */
  readonly order: string[] = [];

  constructor(url: string, { token, query, headers, protocols, reconnects = false }: ConnectOptions = {}) {
    this.socket = io(url, {
      transports: ['websocket'],
      reconnection: reconnects,
      forceNew: true,
      ...(token === undefined ? {} : { auth: { token } }),
      ...(query === undefined ? {} : { query: { token: query } }),
      ...(headers ? { extraHeaders: headers } : {}),
      ...(protocols ? { protocols } : {}),
    });
    this.socket.onAny((name: string, event: Received) => {
      this.order.push(name);
      this.received.push(event);
    });
  }

  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
    });
  }

  request(name: string, ...payload: unknown[]): Promise<Answer> {
    const answered = new Promise<Answer>((resolve) => {
      this.socket.emit(name, ...payload, (answer: Answer) => {
        this.order.push('ack');
        resolve(answer);
      });
    });
    return inTime(answered, { what: `an answer to ${name}`, timeoutMs: PATIENCE_MS });
  }

  async send(content: string, more: object = {}): Promise<{ conversation_id: string; turn_id: string }> {
    const answer = await this.request('message', { content, ...more });
    if (answer.error) throw new Error(`refused: ${JSON.stringify(answer.error)}`);
    return answer as unknown as { conversation_id: string; turn_id: string };
  }

  events<T extends Received['type']>(type: T): Extract<Received, { type: T }>[] {
    return this.received.filter((event): event is Extract<Received, { type: T }> => event.type === type);
  }

  /** Waits for the `count`th event of a type and returns it. */
  async event<T extends Received['type']>(type: T, count = 1): Promise<Extract<Received, { type: T }>> {
    await waitFor(() => this.events(type).length >= count, { what: `${type} number ${count}` });
    return this.events(type)[count - 1]!;
  }

  close(): void {
    this.socket.disconnect();
  }
}
