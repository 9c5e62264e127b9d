import {
  observeJournal,
  retryingStore,
  type AuditTrail,
  type JournalMetrics,
  type Log,
  type Peers,
} from '#journal';
import { StoreLedger } from '#ledger';
import type { Store } from '#store';
import { Fleet } from './offer/fleet.js';
import { FleetOffers } from './offer/fleet-offers.js';
import type { ToolWorkerDeps } from './tool-worker.deps.js';

/** What a worker with the store needs besides what every worker does. */
export interface StoreParts {
  store: Store;
  peers: Peers;
  /** One record per invocation. */
  auditLog: Pick<Log, 'info'>;
  auditTrail?: Pick<AuditTrail, 'keep'>;
  metrics: JournalMetrics;
}

type Given = Pick<
  ToolWorkerDeps,
  'bus' | 'processId' | 'log' | 'clock' | 'random' | 'faultPoint' | 'switches'
>;

/** The parts of a worker that has the store, and tells the fleet itself what it offers. */
export function withStore<Deps extends Given & StoreParts>(
  deps: Deps,
): Deps & Pick<ToolWorkerDeps, 'createLedger' | 'offers' | 'fleet'> {
  const { bus, processId: me, peers, log, clock, random, faultPoint, switches } = deps;
  return {
    ...deps,
    fleet: new Fleet(deps),
    offers: new FleetOffers(deps),
    createLedger: (leaving) => {
      const store = retryingStore(deps.store, leaving, deps);
      const observer = observeJournal(deps.auditLog, deps.metrics, deps.auditTrail);
      const ports = { store, bus, me, peers, log, observer, clock, random, faultPoint };
      return new StoreLedger(ports, (toolName) => switches.pauseOf(toolName));
    },
  };
}
