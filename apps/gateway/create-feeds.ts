import { readOnDemand } from '#observability';
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
      dropped: () => metrics.eventsDropped.inc({ reason: 'slow_viewer' }),
    },
    log,
    clock,
    random,
  });
  readOnDemand(metrics.feeds, () => feeds.size);
  readOnDemand(metrics.viewers, () => feeds.viewers);
  return feeds;
}
