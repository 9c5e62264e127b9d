import type { MetricSubject } from './metric-subject.js';

const SNAPSHOT_REASONS = ['joined', 'slow_viewer', 'gap'] as const;
export type SnapshotReason = (typeof SNAPSHOT_REASONS)[number];

export const gatewayMetrics = (about: MetricSubject) => ({
  sockets: about.gauge({ name: 'switchyard_sockets', help: 'Open client connections.' }),
  unknownSockets: about.gauge({
    name: 'switchyard_unknown_sockets',
    help: 'Open connections that have not signed in yet.',
  }),
  viewers: about.gauge({
    name: 'switchyard_viewers',
    help: 'Sockets and requests that follow a conversation; one that follows several counts once for each.',
  }),
  feeds: about.gauge({
    name: 'switchyard_feeds',
    help: 'Conversations whose events are bound: with viewers, or without for 30 s at most.',
  }),
  slowViewers: about.gauge({
    name: 'switchyard_slow_viewers',
    help: 'Viewers that read more slowly than events come: theirs wait in a backlog.',
  }),
  eventsRelayed: about.counter({
    name: 'switchyard_events_relayed_total',
    help: 'Events delivered to viewers, counted once for each viewer.',
  }),
  eventsDropped: about.counter({
    name: 'switchyard_events_dropped_total',
    help: 'Times that the backlog of a viewer was dropped, by reason.',
    labels: { reason: ['slow_viewer', 'gap'] },
    startsAtZero: true,
  }),
  snapshots: about.counter({
    name: 'switchyard_snapshots_total',
    help: 'Snapshots sent to viewers: who joined or asked, whose backlog had been dropped, or who may have missed events.',
    labels: { reason: SNAPSHOT_REASONS },
  }),
});
