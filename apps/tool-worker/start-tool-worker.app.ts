import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BusStrategy, connectBus } from '#messaging';
import { createNestLogger, type Logger } from '#observability';
import type { ToolWorkerDeps } from './tool-worker.deps.js';
import { ToolWorkerModule } from './tool-worker.module.js';
import { ToolWorker } from './tool-worker.js';

/** Control messages that a tool worker acts on. */
const CONTROL = ['tool.cancel', 'catalog.roll_call'] as const;

export interface RunningToolWorker {
  worker: ToolWorker;
  /** Offers nothing more, finishes what ends within `graceMs`; the rest is settled by others, by its class. */
  drain(graceMs: number): Promise<void>;
}

/** Starts a tool worker whose store and bus are open: toolsets are consumed, then announced. */
export async function startToolWorker(deps: ToolWorkerDeps & { log: Logger }): Promise<RunningToolWorker> {
  const { bus, processId, log } = deps;
  const strategy = new BusStrategy(bus, { logger: log });
  const worker = new ToolWorker(deps, (queue, prefetch) => strategy.startConsuming(queue, { prefetch }));
  const app = await NestFactory.create(ToolWorkerModule.forRoot(worker), {
    logger: createNestLogger(log),
    abortOnError: false,
  });
  connectBus(app, strategy);
  await app.startAllMicroservices();
  await strategy.startControl({ role: 'worker', processId }, CONTROL);
  await worker.start();
  return {
    worker,
    async drain(graceMs) {
      await worker.withdraw();
      await strategy.stopConsuming(graceMs);
      await worker.close();
    },
  };
}
