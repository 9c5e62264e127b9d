import { ledgerQueues } from '#ledger';
import { PausableConsumer, type BusStrategy } from '#messaging';
import type { Orchestrator } from './orchestrator.js';

const RESULTS_PREFETCH = 100;
/** The part of the grace time that is reserved for giving turns back. */
const LEAVING_MS = 500;
/** Longer than the rest of a drain takes. */
const HAND_OVER_MS = 60_000;

export interface RunningOrchestrator {
  orchestrator: Orchestrator;
  /** Takes no new turns, finishes the turns that end within `graceMs`, and gives the others back. */
  drain(graceMs: number): Promise<void>;
}

/** Starts consuming hints, in a safe order. Turns are taken only after a roll-call of the workers. */
export async function serveOrchestrator(
  orchestrator: Orchestrator,
  strategy: Pick<BusStrategy, 'startControl' | 'startConsuming' | 'startDead' | 'stopConsuming'>,
  { processId, turnsAtOnce }: { processId: string; turnsAtOnce: number },
): Promise<RunningOrchestrator> {
  await strategy.startControl(processId);
  await orchestrator.prepare();
  for (const { queue, prefetch } of ledgerQueues(orchestrator.groups))
    await strategy.startConsuming(queue, { prefetch });
  await strategy.startConsuming('results', { prefetch: RESULTS_PREFETCH });
  const turns = new PausableConsumer(() => strategy.startConsuming('turns', { prefetch: turnsAtOnce }));
  orchestrator.switches.onDrain((drains) => void turns.set(!drains));
  await turns.set(!orchestrator.switches.drains);
  await strategy.startDead();
  return {
    orchestrator,
    async drain(graceMs) {
      // Returned turns stay unacknowledged until the bus is closed, so the process that gets them next finds their
      // driver gone.
      void strategy.stopConsuming(graceMs + HAND_OVER_MS);
      await orchestrator.drain(Math.max(0, graceMs - LEAVING_MS));
    },
  };
}
