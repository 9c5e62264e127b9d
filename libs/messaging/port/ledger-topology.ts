import { groupOf, LEDGER_TYPES, type Message } from '#contracts';
import { exchanges, LEDGER_QUEUE, type QueueDefinition } from './topology.js';

/*
 * Exchanges and queues of a group of workers that ask the ledger. A broker's rights end at the exchange, so each group
 * has its own: one to which its workers write, and one from which they read.
 */

/** A group of workers with its own credentials, and the toolsets that it may host. */
export interface WorkerGroup {
  name: string;
  toolsets: readonly string[];
}

/** Toolsets of groups that workers outside of them host as well. */
export function foreignHosts(
  groups: readonly WorkerGroup[],
  hostsOf: (toolset: string) => readonly string[],
): { toolset: string; group: string; worker: string }[] {
  return groups.flatMap(({ name: group, toolsets }) =>
    toolsets.flatMap((toolset) =>
      hostsOf(toolset)
        .filter((worker) => groupOf(worker) !== group)
        .map((worker) => ({ toolset, group, worker })),
    ),
  );
}

/** How long a request waits for an orchestrator: what a dead worker asked must not be served. */
export const REQUEST_LIFE_MS = 5_000;

/** `calls`: about calls. `beats`: of workers. `bulk`: parts of artifacts. */
export const LEDGER_PURPOSES = ['calls', 'beats', 'bulk'] as const;
export type LedgerPurpose = (typeof LEDGER_PURPOSES)[number];

const MAX_LENGTH = { calls: 10_000, beats: 1_000, bulk: 64 } as const satisfies Record<LedgerPurpose, number>;

/** Where the workers of the group write. */
export function ledgerExchange(group: string): string {
  return `switchyard.ledger.${group}`;
}

export function isLedgerExchange(exchange: string): boolean {
  return exchange.startsWith(ledgerExchange(''));
}

/** Where they receive answers and control messages. */
export function groupControlExchange(group: string): string {
  return `${exchanges.control}.${group}`;
}

/** `ledger.<group>.<purpose>`: the queue that all orchestrators share. */
export function ledgerQueueName(group: string, purpose: LedgerPurpose): string {
  return `ledger.${group}.${purpose}`;
}

export function parseLedgerQueue(name: string): { group: string; purpose: LedgerPurpose } | undefined {
  const [, group, purpose] = LEDGER_QUEUE.exec(name) ?? [];
  return group === undefined ? undefined : { group, purpose: purpose as LedgerPurpose };
}

/** Requests are transient: whoever asks repeats them. */
export function ledgerQueue(group: string, purpose: LedgerPurpose): QueueDefinition {
  const name = ledgerQueueName(group, purpose);
  return {
    name,
    durable: true,
    exclusive: false,
    arguments: {
      'x-queue-type': 'classic',
      'x-message-ttl': REQUEST_LIFE_MS,
      'x-overflow': 'reject-publish',
      'x-max-length': MAX_LENGTH[purpose],
    },
    bindings: [
      { queue: name, exchange: ledgerExchange(group), key: purpose },
      // For the orchestrators' own beats.
      { queue: name, exchange: exchanges.commands, key: name },
    ],
  };
}

/** RabbitMQ permissions, as regular expressions: https://www.rabbitmq.com/docs/access-control#authorisation */
export interface BrokerRights {
  configure: string;
  write: string;
  read: string;
}

/** The least rights with which the broker user of a group's workers works. */
export function rightsOf({ name, toolsets }: WorkerGroup): BrokerRights {
  const own = `worker\\.${name}\\..+`;
  const control = `switchyard\\.control\\.${name}`;
  return {
    configure: `^${own}$`,
    write: `^(${own}|switchyard\\.ledger\\.${name})$`,
    read: `^(${own}|${control}|tools\\.(${toolsets.join('|')}))$`,
  };
}

/**
 * Whether a message may come from this exchange: a group's workers ask in their own name, and nobody else asks; an
 * orchestrator's own beat comes from nowhere else but the commands.
 */
export function isFromItsSender(exchange: string, { type, body }: Message): boolean {
  const isRequest = type !== 'ledger.pulse' && (LEDGER_TYPES as readonly string[]).includes(type);
  if (!isLedgerExchange(exchange)) return !isRequest;
  const group = exchange.slice(ledgerExchange('').length);
  return isRequest && groupOf((body as { worker: string }).worker) === group;
}
