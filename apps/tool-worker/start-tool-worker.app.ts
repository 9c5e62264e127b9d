import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BusStrategy, connectBus } from '#messaging';
import { auditLoggerOf, createNestLogger, type Logger } from '#observability';
import { InputSchemas, ThreadedChecks } from '#tools';
import { serveToolWorker, type RunningToolWorker } from './serve-tool-worker.js';
import type { ToolWorkerDeps } from './tool-worker.deps.js';
import { ToolWorkerModule } from './tool-worker.module.js';
import { ToolWorker } from './tool-worker.js';

export type { RunningToolWorker } from './serve-tool-worker.js';

/** Starts a tool worker whose store and bus are open. */
export async function startToolWorker(
  deps: Omit<ToolWorkerDeps, 'auditLog' | 'slowChecks' | 'schemas'> & { log: Logger },
): Promise<RunningToolWorker> {
  const { bus, processId, clock, log } = deps;
  const strategy = new BusStrategy(bus, { role: 'worker', logger: log });
  const slowChecks = new ThreadedChecks({ clock });
  const schemas = new InputSchemas();
  const worker = new ToolWorker(
    { ...deps, slowChecks, schemas, auditLog: auditLoggerOf(log) },
    (queue, prefetch) => strategy.startConsuming(queue, { prefetch }),
  );
  const app = await NestFactory.create(ToolWorkerModule.forRoot(worker), {
    logger: createNestLogger(log),
    abortOnError: false,
  });
  connectBus(app, strategy);
  await app.startAllMicroservices();
  return serveToolWorker(worker, strategy, { processId, clock });
}
