import type { BusStrategy } from '#messaging';
import { settledWithin, type Clock } from '#time';
import type { ToolWorker } from './tool-worker.js';

/** The part of the grace period reserved for ending the MCP servers. */
const CLOSING_MS = 500;
/** Longer than the rest of a drain takes. */
const HAND_OVER_MS = 60_000;

export interface RunningToolWorker {
  worker: ToolWorker;
  /** Withdraws its offer and finishes calls for up to `graceMs`; other workers settle the rest by class. */
  drain(graceMs: number): Promise<void>;
}

/** Starts to take calls: consumes the toolsets, then announces them. */
export async function serveToolWorker(
  worker: ToolWorker,
  strategy: Pick<BusStrategy, 'startControl' | 'stopConsuming'>,
  { processId, clock, join }: { processId: string; clock: Clock; join?: () => Promise<void> },
): Promise<RunningToolWorker> {
  await strategy.startControl(processId);
  await join?.();
  await worker.start();
  return {
    worker,
    async drain(graceMs) {
      await worker.withdraw();
      // Unfinished calls stay in hand until the bus is closed: the worker that gets them then finds their owner gone.
      const stopped = strategy.stopConsuming(graceMs + HAND_OVER_MS);
      // Comes last: until then a call may still begin to continue without its delivery.
      const finished = stopped.then(() => worker.finish());
      await settledWithin(clock, finished, Math.max(0, graceMs - CLOSING_MS));
      await worker.close();
    },
  };
}
