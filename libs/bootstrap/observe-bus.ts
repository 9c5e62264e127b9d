import { kindOfQueue, type Bus, type BusObserver, type Handler, type PublishOutcome } from '#messaging';
import type { Metrics, QueueLabel } from '#observability';
import type { BusIdentity } from './member.js';
import { replaceMethods } from './replace-methods.js';

type BusMetrics = Pick<Metrics, 'publishOutcomes' | 'deliveries' | 'staleAcks'>;
type BuildMetrics = Pick<Metrics, 'busReconnects' | 'consumerRebuilds' | 'ledgerDrops'>;
type StateMetrics = Pick<Metrics, 'busConnected' | 'busTakesMessages'>;

/** Creates buses whose messages, reconnects and rebuilt consumers are counted. */
export function countingBuses(
  createBus: (identity: BusIdentity) => Bus,
  metrics: BusMetrics & BuildMetrics,
): (identity: BusIdentity) => Bus {
  const observer: BusObserver = {
    reconnected: (connection) => metrics.busReconnects.inc({ connection }),
    requestDropped: (reason) => metrics.ledgerDrops.inc({ reason }),
    consumerRebuilt: (queue) => metrics.consumerRebuilds.inc({ queue: labelOf(queue) }),
  };
  return (identity) => countMessages(createBus({ ...identity, observer }), metrics);
}

/** Reports, at each scrape, whether all buses of the process work. */
export function reportBuses({ busConnected, busTakesMessages }: StateMetrics, buses: () => Bus[]): void {
  busConnected.readOnDemand((gauge) => gauge.set(Number(buses().every((bus) => bus.isConnected()))));
  busTakesMessages.readOnDemand((gauge) => gauge.set(Number(buses().every((bus) => bus.takesMessages()))));
}

/** Events are not counted here: there is one for each token. */
function countMessages(bus: Bus, metrics: BusMetrics): Bus {
  const count = async (queue: QueueLabel, publishing: Promise<PublishOutcome>): Promise<PublishOutcome> => {
    const outcome = await publishing;
    metrics.publishOutcomes.inc({ queue, outcome });
    return outcome;
  };
  return replaceMethods(bus, {
    publish: (queue, message) => count(labelOf(queue), bus.publish(queue, message)),
    send: (controlKey, message) => count('control', bus.send(controlKey, message)),
    consume: (queue, options, handler) =>
      bus.consume(queue, options, countDeliveries(queue, handler, metrics)),
  });
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
