import { kindOfQueue, type Bus, type BusObserver, type Handler, type PublishOutcome } from '#messaging';
import { observeCalls, type CallObserver, type Metrics, type QueueLabel } from '#observability';
import type { Clock } from '#time';
import type { BusIdentity } from './member.js';

type BusMetrics = Pick<Metrics, 'publishOutcomes' | 'deliveries' | 'staleAcks'>;
type BuildMetrics = Pick<Metrics, 'busReconnects' | 'consumerRebuilds'>;
type StateMetrics = Pick<Metrics, 'busConnected' | 'busTakesMessages'>;

/** Creates buses whose messages, reconnects and rebuilt consumers are counted. */
export function countingBuses(
  createBus: (identity: BusIdentity) => Bus,
  metrics: BusMetrics & BuildMetrics,
): (identity: BusIdentity) => Bus {
  const observer: BusObserver = {
    reconnected: (connection) => metrics.busReconnects.inc({ connection }),
    consumerRebuilt: (queue) => metrics.consumerRebuilds.inc({ queue: labelOf(queue) }),
  };
  return (identity) => countMessages(createBus({ ...identity, observer }), identity.clock, metrics);
}

/** Reports, at each scrape, whether all buses of the process work. */
export function reportBuses({ busConnected, busTakesMessages }: StateMetrics, buses: () => Bus[]): void {
  busConnected.readOnDemand(() => busConnected.set(Number(buses().every((bus) => bus.isConnected()))));
  busTakesMessages.readOnDemand(() =>
    busTakesMessages.set(Number(buses().every((bus) => bus.takesMessages()))),
  );
}

function countMessages(bus: Bus, clock: Pick<Clock, 'now'>, metrics: BusMetrics): Bus {
  const countPublish: CallObserver = ({ method, outcome, result, args }) => {
    if (outcome === 'error' || (method !== 'publish' && method !== 'send')) return;
    const queue = method === 'send' ? 'control' : labelOf(String(args[0]));
    metrics.publishOutcomes.inc({ queue, outcome: result as PublishOutcome });
  };
  const consume: Bus['consume'] = (queue, options, handler) =>
    bus.consume(queue, options, countDeliveries(queue, handler, metrics));
  return observeCalls(bus, clock, countPublish, { consume });
}

function labelOf(queue: string): QueueLabel {
  return kindOfQueue(queue) ?? 'other';
}

function countDeliveries(
  name: string,
  handler: Handler,
  { deliveries, staleAcks }: Omit<BusMetrics, 'publishOutcomes'>,
): Handler {
  const queue = labelOf(name);
  return async (delivery) => {
    deliveries.inc({ queue, kind: delivery.redelivered ? 'redelivered' : 'first' });
    try {
      return await handler(delivery);
    } finally {
      if (delivery.lost.aborted) staleAcks.inc({ queue });
    }
  };
}
