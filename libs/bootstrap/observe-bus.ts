import { kindOfQueue, type Bus, type BusObserver, type Handler, type PublishOutcome } from '#messaging';
import { observeCalls, type CallObserver, type Metrics, type QueueLabel } from '#observability';
import type { Clock } from '#time';

type BusMetrics = Pick<Metrics, 'publishOutcomes' | 'deliveries' | 'staleAcks'>;

/** The same bus, with its publishes and deliveries counted. */
export function observeBus(bus: Bus, clock: Pick<Clock, 'now'>, metrics: BusMetrics): Bus {
  const countPublish: CallObserver = ({ method, outcome, result, args }) => {
    if (outcome === 'error' || (method !== 'publish' && method !== 'send')) return;
    const queue = method === 'send' ? 'control' : labelOf(String(args[0]));
    metrics.publishOutcomes.inc({ queue, outcome: result as PublishOutcome });
  };
  const consume: Bus['consume'] = (queue, options, handler) =>
    bus.consume(queue, options, countDeliveries(queue, handler, metrics));
  return observeCalls(bus, clock, countPublish, { consume });
}

/** Counts what a bus had to build again. */
export function busObserver({
  busReconnects,
  consumerRebuilds,
}: Pick<Metrics, 'busReconnects' | 'consumerRebuilds'>): BusObserver {
  return {
    reconnected: (connection) => busReconnects.inc({ connection }),
    consumerRebuilt: (queue) => consumerRebuilds.inc({ queue: labelOf(queue) }),
  };
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
