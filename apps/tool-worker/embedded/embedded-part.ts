import { countingBuses, reportBuses, type BusIdentity, type Member } from '#bootstrap';
import { createRabbitmqBus, type Bus } from '#messaging';
import { LogLevels, VERSION, type Logger, type Metrics } from '#observability';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import type { RunningToolWorker } from '../serve-tool-worker.js';

/** What a worker inside another program is made of, with and without the store. */
export interface EmbeddedParts {
  rabbitmqUrl: string;
  logger: Logger;
  metrics: Metrics;
  hosts: ToolWorkerDeps['hosts'];
  overridesFor: ToolWorkerDeps['overridesFor'];
  onGone: () => void;
}

/** Its part in the fleet. */
export interface EmbeddedPart {
  readonly member: Pick<Member, 'bus' | 'processId' | 'reportLoad'>;
  /** Resolves once it takes calls. */
  start(): Promise<RunningToolWorker>;
  /** Leaves the fleet, after the worker was drained. */
  leave(): Promise<void>;
}

export function countedBuses({ rabbitmqUrl: url, logger, metrics }: EmbeddedParts) {
  const create = (identity: BusIdentity): Bus => createRabbitmqBus({ url, logger, ...identity });
  return countingBuses(create, metrics);
}

/** The program's metrics tell of this worker, and operators set its log level. */
export function observeMember(
  { logger, metrics }: EmbeddedParts,
  { bus, switches }: Pick<Member, 'bus' | 'switches'>,
): void {
  const levels = new LogLevels(logger);
  switches.onLogLevel((level) => levels.set(level));
  metrics.info.set({ version: VERSION, role: 'worker' }, 1);
  reportBuses(metrics, () => [bus]);
}
