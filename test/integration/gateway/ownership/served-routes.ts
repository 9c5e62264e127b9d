import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createMemoryBus, MemoryBroker } from '#messaging';
import { createLogger, createMetrics, Health } from '#observability';
import { createStore } from '#store';
import { loadStandaloneConfig } from '#bootstrap';
import { noFaults } from '#faults';
import { SystemClock, systemTime } from '#time';
import { noSwitches, testPeers } from '#journal/testing';
import { gatewayDefaults } from '../../../../apps/gateway/gateway-defaults.js';
import { Gateway } from '../../../../apps/gateway/gateway.js';
import type { GatewayDeps } from '../../../../apps/gateway/gateway.deps.js';
import { GatewayModule } from '../../../../apps/gateway/gateway.module.js';
import { configureGateway, upgradesOf } from '../../../../apps/gateway/start-gateway.app.js';
import { SOCKET_IO_PATH } from '../../../../apps/gateway/door/sockets/socket-server.adapter.js';
import { ChatGateway } from '../../../../apps/gateway/client/chat.gateway.js';
import { GATEWAY_ID } from '../gateway-harness.js';

interface Layer {
  route?: { path: string; methods: Record<string, boolean>; stack: { method?: string }[] };
}

export interface Served {
  routes: string[];
  /** Paths on which a connection is upgraded. */
  upgrades: string[];
  /** Who hears of a handshake: Socket.IO, and whoever serves the other paths. */
  upgradeListeners: number;
}

/** What a gateway with accounts really serves, read from its router and its server. */
export async function readServed(): Promise<Served> {
  const config = loadStandaloneConfig({ AUTH: 'local' });
  const logger = createLogger({ role: 'test', level: 'silent' });
  const deps: GatewayDeps = {
    ...systemTime(),
    ...gatewayDefaults(),
    faultPoint: noFaults,
    ...{
      store: createStore({ dataDir: ':memory:' }),
      bus: createMemoryBus({ broker: new MemoryBroker(new SystemClock()), ...systemTime() }),
    },
    ...{ processId: GATEWAY_ID, config, logger, health: new Health(new SystemClock()) },
    metrics: createMetrics({ collectDefaults: false }),
    peers: testPeers(),
    switches: noSwitches(),
  };
  const gateway = new Gateway(deps);
  const module = GatewayModule.forRoot(gateway, deps);
  const app = await NestFactory.create<NestExpressApplication>(module, { logger: false, bodyParser: false });
  configureGateway(app, gateway, deps);
  await app.init();
  const { router } = app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  const routes = router.stack.flatMap(({ route }) => (route ? describeRoute(route) : []));
  const upgradeListeners = app.getHttpServer().listeners('upgrade').length;
  const others = upgradesOf(gateway).keys();
  await app.close();
  const upgrades = [SOCKET_IO_PATH, ...others];
  return { routes: [...new Set(routes)].toSorted(), upgrades, upgradeListeners };
}

/** Names of the events that have a handler, from Nest's own notes. */
export function readSocketEvents(): string[] {
  const methods = Object.getOwnPropertyNames(ChatGateway.prototype);
  const events = methods.map((name) => {
    const method = Reflect.get(ChatGateway.prototype, name) as object;
    return typeof method === 'function' ? (Reflect.getMetadata('message', method) as unknown) : undefined;
  });
  return events.filter((event): event is string => typeof event === 'string').toSorted();
}

/** A route for every method is one. */
const MANY = 5;

function describeRoute({ path, methods, stack }: NonNullable<Layer['route']>): string[] {
  const named = Object.keys(methods).filter((method) => methods[method]);
  if (methods._all || named.length > MANY || stack.some(({ method }) => method === undefined))
    return [`ALL ${path}`];
  return named.map((method) => `${method.toUpperCase()} ${path}`);
}
