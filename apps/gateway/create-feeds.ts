import type { GatewayDeps } from './gateway.deps.js';
import { Feeds } from './feeds/feeds.js';
import { createViewReader, type Peek } from './feeds/read-view.js';
import type { OpenRoom } from './feeds/viewer.js';

export function createFeeds(deps: GatewayDeps, openRoom: OpenRoom, peek: Peek): Feeds {
  const { store, bus, logger: log, metrics, timings, clock, random } = deps;
  const feeds = new Feeds(bus, openRoom, {
    readView: createViewReader(store, peek),
    timings,
    counters: {
      relayed: (count) => metrics.eventsRelayed.inc(count),
      dropped: (reason) => metrics.eventsDropped.inc({ reason }),
      snapshots: (reason, count) => metrics.snapshots.inc({ reason }, count),
    },
    log,
    clock,
    random,
  });
  metrics.feeds.readOnDemand((gauge) => gauge.set(feeds.size));
  metrics.viewers.readOnDemand((gauge) => gauge.set(feeds.viewers));
  metrics.slowViewers.readOnDemand((gauge) => gauge.set(feeds.slowViewers));
  return feeds;
}
