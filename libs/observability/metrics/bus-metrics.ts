import type { MetricSubject } from './metric-subject.js';

/** The queues of all toolsets are one kind, because RabbitMQ itself reports on each queue. */
const QUEUE_KINDS = ['turns', 'results', 'tools', 'ledger', 'control', 'other'] as const;
const DEATHS = ['rejected', 'expired', 'maxlen', 'delivery_limit', 'other'] as const;
export type QueueLabel = (typeof QUEUE_KINDS)[number];
export type Death = (typeof DEATHS)[number];

/** Why a message died, from the broker's word at the beginning of `reason`. */
export function deathOf(reason: string): Death {
  return DEATHS.find((death) => reason.startsWith(death)) ?? 'other';
}

export const busMetrics = (about: MetricSubject) => ({
  publishOutcomes: about.counter({
    name: 'switchyard_publishes_total',
    help: 'Commands and control messages, by kind of queue and outcome.',
    labels: { queue: QUEUE_KINDS, outcome: ['confirmed', 'returned', 'refused', 'unknown'] },
  }),
  deliveries: about.counter({
    name: 'switchyard_deliveries_total',
    help: 'Messages handled, by kind of queue: for the first time, or redelivered by the broker.',
    labels: { queue: QUEUE_KINDS, kind: ['first', 'redelivered'] },
  }),
  ledgerRequests: about.counter({
    name: 'switchyard_ledger_requests_total',
    help: 'Requests of workers without the store that this orchestrator served, by result; `failed`: the store did not answer, so they are repeated.',
    labels: { result: ['served', 'refused', 'failed'] },
  }),
  ledgerDrops: about.counter({
    name: 'switchyard_ledger_drops_total',
    help: 'Messages from groups of workers that were dropped unserved: unreadable, in the name of another process, of an unknown group, or more at once than are served.',
    labels: { reason: ['unreadable', 'foreign', 'unknown_group', 'too_many'] },
    startsAtZero: true,
  }),
  staleAcks: about.counter({
    name: 'switchyard_stale_acks_total',
    help: 'Messages whose channel was gone when they had been handled: the broker delivers them again.',
    labels: { queue: QUEUE_KINDS },
  }),
  deadLetters: about.counter({
    name: 'switchyard_dead_letters_total',
    help: 'Dead letters that this process stored, by the kind of queue in which they died and why; counted when they come, since their queue is emptied at once.',
    labels: { queue: QUEUE_KINDS, reason: DEATHS },
    startsAtZero: true,
  }),
  busReconnects: about.counter({
    name: 'switchyard_bus_reconnects_total',
    help: 'Connections to the broker that were lost and made again.',
    labels: { connection: ['publishing', 'consuming', 'events'] },
  }),
  consumerRebuilds: about.counter({
    name: 'switchyard_consumer_rebuilds_total',
    help: 'Consumers that were lost and started again, by kind of queue; `other`: of dead letters.',
    labels: { queue: QUEUE_KINDS },
  }),
  busConnected: about.gauge({
    name: 'switchyard_bus_connected',
    help: 'Whether every connection to the broker is up: 1 or 0.',
  }),
  busTakesMessages: about.gauge({
    name: 'switchyard_bus_takes_messages',
    help: 'Whether the broker takes messages: 0 while it has an alarm, or its last confirm is overdue.',
  }),
});
