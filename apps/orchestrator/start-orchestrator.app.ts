import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BusStrategy, connectBus } from '#messaging';
import { auditLoggerOf, createNestLogger, type Logger } from '#observability';
import type { OrchestratorDeps } from './orchestrator.deps.js';
import { OrchestratorModule } from './orchestrator.module.js';
import { Orchestrator } from './orchestrator.js';

/** Control messages that an orchestrator acts on. */
const CONTROL = [
  'turn.advance',
  'tool.result',
  'catalog.announce',
  'catalog.withdraw',
  'model.limited',
  'model.roll_call',
  'calls.counted',
  'turn.superseded',
  'turn.stop',
  'turn.peek',
] as const;
const RESULTS_PREFETCH = 100;
/** Of the grace, for giving turns back. */
const LEAVING_MS = 500;
/** Longer than the rest of a drain takes. */
const HAND_OVER_MS = 60_000;

export interface RunningOrchestrator {
  orchestrator: Orchestrator;
  /** Takes no new turns, finishes those that end within `graceMs`, gives the rest back. */
  drain(graceMs: number): Promise<void>;
}

/** Starts an orchestrator whose store and bus are open. It takes turns only after a roll-call of the workers. */
export async function startOrchestrator(
  deps: OrchestratorDeps & { log: Logger },
): Promise<RunningOrchestrator> {
  const { bus, processId, log, settings } = deps;
  const orchestrator = new Orchestrator({ ...deps, auditLog: auditLoggerOf(log) });
  const app = await NestFactory.create(OrchestratorModule.forRoot(orchestrator), {
    logger: createNestLogger(log),
    abortOnError: false,
  });
  const strategy = new BusStrategy(bus, { logger: log });
  connectBus(app, strategy);
  await app.startAllMicroservices();
  await strategy.startControl({ role: 'orchestrator', processId }, CONTROL);
  await orchestrator.prepare();
  await strategy.startConsuming('results', { prefetch: RESULTS_PREFETCH });
  await strategy.startConsuming('turns', { prefetch: settings.turnsAtOnce });
  await strategy.startDead();
  return {
    orchestrator,
    async drain(graceMs) {
      // Turns given back stay in hand until the bus is closed: who gets them then finds their driver gone.
      void strategy.stopConsuming(graceMs + HAND_OVER_MS);
      await orchestrator.drain(Math.max(0, graceMs - LEAVING_MS));
    },
  };
}
