import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { BusStrategy, connectBus } from '#messaging';
import { createNestLogger } from '#observability';
import type { GatewayDeps } from './gateway.deps.js';
import { GatewayModule } from './gateway.module.js';
import { Gateway } from './gateway.js';
import { trackAnswers } from './door/http/answers-under-way.js';
import { trackUnused } from './door/http/unused-connections.js';
import { HttpConnections } from './door/http/http-connections.js';
import { RequestPlaces } from './door/http/request-places.js';
import { secureHttp } from './door/http/secure-http.middleware.js';
import { serveUpgrades, type TakeUpgrade } from './door/sockets/serve-upgrades.adapter.js';
import { SocketServerAdapter } from './door/sockets/socket-server.adapter.js';

export interface RunningGateway {
  gateway: Gateway;
  /** The port that was bound, when 0 was asked for. */
  port: number;
  /** Refuses new work, answers requests in hand within `graceMs`, disconnects all clients and stops listening. */
  drain(graceMs: number): Promise<void>;
}

/** A share of the remaining grace time: a client that reads nothing must not use up the time of the other steps. */
const SHARE_FOR_ANSWERS = 0.5;

/**
 * Builds and starts a gateway whose store and bus are open. Throws Node's error if the port cannot be bound.
 *
 * @param given parts to use instead of new ones, for tests
 */
export async function startGateway(
  deps: GatewayDeps,
  address: { port: number; host: string },
  given: Partial<Gateway> = {},
): Promise<RunningGateway> {
  const { bus, processId, logger, clock } = deps;
  const gateway = new Gateway(deps, given);
  const app = await NestFactory.create<NestExpressApplication>(GatewayModule.forRoot(gateway, deps), {
    logger: createNestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const connections = configureGateway(app, gateway, deps);
  const strategy = new BusStrategy(bus, { role: 'gateway', logger });
  connectBus(app, strategy);
  await app.startAllMicroservices();
  await strategy.startControl(processId);
  await gateway.start();
  const breakUnused = trackUnused(app.getHttpServer());
  const answersGoneOut = trackAnswers(app.getHttpServer(), clock);
  connections.watch(app.getHttpServer());
  await app.listen(address.port, address.host);
  const bound: unknown = app.getHttpServer().address();
  return {
    gateway,
    port: (bound as { port: number }).port,
    drain: async (graceMs) => {
      const endsAt = clock.now() + graceMs;
      await gateway.drain(graceMs);
      breakUnused();
      await answersGoneOut(Math.max(0, (endsAt - clock.now()) * SHARE_FOR_ANSWERS));
      await gateway.bodies.stop();
      await app.close();
    },
  };
}

/**
 * Sets up the app around the gateway's module: HTTP safety and the socket server. The returned object must watch the
 * app's server before it listens.
 */
export function configureGateway(
  app: NestExpressApplication,
  gateway: Gateway,
  { config, logger: log, httpTimings: timings }: GatewayDeps,
): HttpConnections {
  const { limits, trustedProxies } = config;
  // Without accounts, all clients are one user.
  const countsUsers = config.auth.kind !== 'none';
  const { authenticate, refusals, bodies, time, sendError, dialects, originRules: rules } = gateway;
  const places = new RequestPlaces(limits);
  const connections = new HttpConnections({
    limits,
    timings,
    trustedProxies,
    refusals,
    sendError,
    clock: time.clock,
  });
  secureHttp(app, {
    rules,
    trustedProxies,
    dialects,
    areDialectsNamed: config.dialects !== undefined,
    sendError,
    log,
    authenticate,
    places,
    connections,
    refusals,
    bodyBudget: bodies.budget,
    countsUsers,
    time,
  });
  const { addressOf, admission, unknownSockets, guard } = gateway;
  app.useWebSocketAdapter(
    new SocketServerAdapter(app, { rules, addressOf, admission, unknownSockets, guard }),
  );
  serveUpgrades(app.getHttpServer(), upgradesOf(gateway));
  return connections;
}

/** Handlers of handshakes besides Socket.IO, by exact path. */
export function upgradesOf({
  openDialects,
}: Pick<Gateway, 'openDialects'>): ReadonlyMap<string, TakeUpgrade> {
  return new Map(openDialects.flatMap(({ upgrade }) => (upgrade ? [[upgrade.path, upgrade.take]] : [])));
}
