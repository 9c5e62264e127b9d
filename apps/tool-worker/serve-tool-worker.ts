import type { BusStrategy } from '#messaging';
import { settledWithin, type Clock } from '#time';
import type { ToolWorker } from './tool-worker.js';

/** Of the grace, for ending the MCP servers. */
const CLOSING_MS = 500;
/** Longer than the rest of a drain takes. */
const HAND_OVER_MS = 60_000;

export interface RunningToolWorker {
  worker: ToolWorker;
  /** Offers nothing more, finishes what ends within `graceMs`; the rest is settled by others, by its class. */
  drain(graceMs: number): Promise<void>;
}

/** Lets calls in: toolsets are consumed, then announced. */
export async function serveToolWorker(
  worker: ToolWorker,
  strategy: Pick<BusStrategy, 'startControl' | 'stopConsuming'>,
  { processId, clock }: { processId: string; clock: Clock },
): Promise<RunningToolWorker> {
  await strategy.startControl(processId);
  await worker.start();
  return {
    worker,
    async drain(graceMs) {
      await worker.withdraw();
      // Calls not finished stay in hand until the bus is closed: who gets them then finds their owner gone.
      const stopped = strategy.stopConsuming(graceMs + HAND_OVER_MS);
      // Afterwards: until then a call may begin to go on without its delivery.
      const finished = stopped.then(() => worker.finish());
      await settledWithin(clock, finished, Math.max(0, graceMs - CLOSING_MS));
      await worker.close();
    },
  };
}
