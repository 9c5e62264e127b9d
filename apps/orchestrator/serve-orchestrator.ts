import type { BusStrategy } from '#messaging';
import type { Orchestrator } from './orchestrator.js';

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

/** Lets hints in, in the order in which they may come. It takes turns only after a roll-call of the workers. */
export async function serveOrchestrator(
  orchestrator: Orchestrator,
  strategy: Pick<BusStrategy, 'startControl' | 'startConsuming' | 'startDead' | 'stopConsuming'>,
  { processId, turnsAtOnce }: { processId: string; turnsAtOnce: number },
): Promise<RunningOrchestrator> {
  await strategy.startControl(processId);
  await orchestrator.prepare();
  await strategy.startConsuming('results', { prefetch: RESULTS_PREFETCH });
  await strategy.startConsuming('turns', { prefetch: turnsAtOnce });
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
