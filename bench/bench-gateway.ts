import { noFaults } from '#faults';
import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { createLogger, createMetrics, Health } from '#observability';
import type { Store } from '#store';
import { SystemClock, systemTime } from '#time';
import { noSwitches, testPeers } from '#journal/testing';
import { gatewayDefaults } from '../apps/gateway/gateway-defaults.js';
import { openConfig } from '../apps/gateway/testing/open-config.js';
import type { GatewayConfig } from '../apps/gateway/gateway.deps.js';
import { startGateway } from '../apps/gateway/start-gateway.app.js';

const MUCH = 100_000;
const LIMITS: GatewayConfig['limits'] = {
  connectionsPerMinute: MUCH,
  turnsAtOnce: MUCH,
  messagesPerMinute: MUCH,
  allConnectionsPerMinute: MUCH,
  sockets: MUCH,
  socketsPerUser: MUCH,
  unknownSockets: MUCH,
  unknownSocketsPerAddress: MUCH,
  streamsPerUser: MUCH,
  bytesPerMinute: 100_000_000_000,
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
  waitingTurns: MUCH,
  wrongPasswordsPerMinute: 10,
  wrongPasswordsPerAddress: 100,
  registrationsPerAddress: 100,
};

/** A gateway in this process on a bus in memory; `publisher` is another process on it. */
export async function startBenchGateway(store: Store) {
  const broker = new MemoryBroker(new SystemClock());
  const [bus, publisher]: [Bus, Bus] = [
    createMemoryBus({ broker, ...systemTime() }),
    createMemoryBus({ broker, ...systemTime() }),
  ];
  await Promise.all([bus.open(), publisher.open()]);
  const running = await startGateway(
    {
      ...systemTime(),
      ...gatewayDefaults(),
      faultPoint: noFaults,
      store,
      bus,
      processId: 'gateway-bench',
      peers: testPeers(),
      switches: noSwitches(),
      config: openConfig(LIMITS),
      logger: createLogger({ role: 'bench', level: 'error', pretty: false }),
      health: new Health(new SystemClock()),
      metrics: createMetrics({ collectDefaults: false }),
    },
    { port: 0, host: '127.0.0.1' },
  );
  return { ...running, publisher };
}
