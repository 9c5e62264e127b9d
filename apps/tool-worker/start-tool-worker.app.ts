import 'reflect-metadata';
import { BusStrategy, startBusApp } from '#messaging';
import { auditLoggerOf, createNestLogger, type Logger } from '#observability';
import { InputSchemas, ThreadedChecks } from '#tools';
import { serveToolWorker, type RunningToolWorker } from './serve-tool-worker.js';
import type { ToolWorkerDeps } from './tool-worker.deps.js';
import { ToolWorkerModule } from './tool-worker.module.js';
import { ToolWorker } from './tool-worker.js';
import { withStore, type StoreParts } from './with-store.js';

export type { RunningToolWorker } from './serve-tool-worker.js';

type Started = Omit<ToolWorkerDeps, 'slowChecks' | 'schemas'> & { log: Logger };
type StartedWithStore = Omit<StoreParts, 'auditLog'> & Omit<Started, 'createLedger' | 'fleet' | 'offers'>;

/** Starts a tool worker whose store and bus are open. */
export function startToolWorker(deps: StartedWithStore): Promise<RunningToolWorker> {
  return startWorker(withStore({ ...deps, auditLog: auditLoggerOf(deps.log) }));
}

/**
 * Starts any tool worker whose bus is open.
 *
 * @param join called as soon as messages to this worker arrive, before it takes calls
 */
export async function startWorker(deps: Started, join?: () => Promise<void>): Promise<RunningToolWorker> {
  const { bus, processId, clock, log } = deps;
  const strategy = new BusStrategy(bus, { role: 'worker', logger: log });
  const slowChecks = new ThreadedChecks({ clock });
  const schemas = new InputSchemas();
  const worker = new ToolWorker({ ...deps, slowChecks, schemas }, (queue, prefetch) =>
    strategy.startConsuming(queue, { prefetch }),
  );
  await startBusApp(ToolWorkerModule.forRoot(worker), strategy, createNestLogger(log));
  return serveToolWorker(worker, strategy, { processId, clock, join });
}
