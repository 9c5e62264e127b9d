import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { BusStrategy, connectBus } from '#messaging';
import { auditLoggerOf, createNestLogger, type Logger } from '#observability';
import type { ToolWorkerDeps } from './tool-worker.deps.js';
import { ToolWorkerModule } from './tool-worker.module.js';
import { ToolWorker } from './tool-worker.js';

/** Control messages that a tool worker acts on. */
const CONTROL = [
  'tool.cancel',
  'tool.answered',
  'catalog.announce',
  'catalog.withdraw',
  'catalog.roll_call',
] as const;

/** Of the grace, for ending the MCP servers. */
const CLOSING_MS = 500;
/** Longer than the rest of a drain takes. */
const HAND_OVER_MS = 60_000;

export interface RunningToolWorker {
  worker: ToolWorker;
  /** Offers nothing more, finishes what ends within `graceMs`; the rest is settled by others, by its class. */
  drain(graceMs: number): Promise<void>;
}

/** Starts a tool worker whose store and bus are open: toolsets are consumed, then announced. */
export async function startToolWorker(
  deps: Omit<ToolWorkerDeps, 'auditLog'> & { log: Logger },
): Promise<RunningToolWorker> {
  const { bus, processId, log } = deps;
  const strategy = new BusStrategy(bus, { logger: log });
  const worker = new ToolWorker({ ...deps, auditLog: auditLoggerOf(log) }, (queue, prefetch) =>
    strategy.startConsuming(queue, { prefetch }),
  );
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
      // Calls not finished stay in hand until the bus is closed: who gets them then finds their owner gone.
      const stopped = strategy.stopConsuming(graceMs + HAND_OVER_MS);
      // Afterwards: until then a call may begin to go on without its delivery.
      const finished = stopped.then(() => worker.finish());
      // Nothing but this would keep somebody's program from ending.
      const late = delay(Math.max(0, graceMs - CLOSING_MS), undefined, { ref: false });
      await Promise.race([finished, late]);
      await worker.close();
    },
  };
}
