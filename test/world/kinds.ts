import { SimulatedGateway } from './simulated-gateway.js';
import { SimulatedOrchestrator } from './simulated-orchestrator.js';
import type { Kind } from './simulated-process.js';
import { SimulatedWorker } from './simulated-worker.js';

export type { Kind };

/** How each kind of process is made. */
export const KINDS = {
  gateway: SimulatedGateway,
  orchestrator: SimulatedOrchestrator,
  worker: SimulatedWorker,
} satisfies Record<Kind, unknown>;
