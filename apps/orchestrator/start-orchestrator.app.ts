import 'reflect-metadata';
import { BusStrategy, startBusApp } from '#messaging';
import { auditLoggerOf, createNestLogger, type Logger } from '#observability';
import { InputSchemas, ThreadedChecks } from '#tools';
import type { OrchestratorDeps } from './deps/orchestrator.deps.js';
import { OrchestratorModule } from './orchestrator.module.js';
import { Orchestrator } from './orchestrator.js';
import { serveOrchestrator, type RunningOrchestrator } from './serve-orchestrator.js';

export type { RunningOrchestrator } from './serve-orchestrator.js';

/** Starts an orchestrator whose store and bus are open. */
export async function startOrchestrator(
  deps: Omit<OrchestratorDeps, 'auditLog' | 'slowChecks' | 'schemas'> & { log: Logger },
): Promise<RunningOrchestrator> {
  const { bus, processId, log, settings } = deps;
  const slowChecks = new ThreadedChecks({ clock: deps.clock });
  const schemas = new InputSchemas();
  const orchestrator = new Orchestrator({ ...deps, slowChecks, schemas, auditLog: auditLoggerOf(log) });
  const strategy = new BusStrategy(bus, { role: 'orchestrator', logger: log });
  await startBusApp(OrchestratorModule.forRoot(orchestrator), strategy, createNestLogger(log));
  return serveOrchestrator(orchestrator, strategy, { processId, turnsAtOnce: settings.turnsAtOnce });
}
