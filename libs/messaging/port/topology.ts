import { controlKey, groupOf, type QueueKind, type Role } from '#contracts';

/*
 * Exchanges and queues, as data. A declaration cannot change a queue or exchange that a broker already holds, so every
 * argument of a durable queue here is frozen.
 */

const EVENT_EXCHANGE_COUNT = 8;

/** All durable and direct. */
export const exchanges = {
  commands: 'switchyard.commands',
  control: 'switchyard.control',
  dead: 'switchyard.dead',
  events: Array.from({ length: EVENT_EXCHANGE_COUNT }, (_, index) => `switchyard.events.${index}`),
} as const;

/** The number of ready messages at which a command queue refuses more. */
export const MAX_QUEUE_LENGTH = 100_000;
/** The number of returned deliveries after which the broker gives a message up. */
export const DELIVERY_LIMIT = 20;
/**
 * A dead letter is redelivered as long as the store is down. From 4.0 on, brokers drop a message after 20 returns if
 * the queue sets no limit. 3.10 refuses -1, so this is a limit that no message reaches.
 */
const NO_DELIVERY_LIMIT = 2 ** 31 - 1;

export interface QueueBinding {
  queue: string;
  exchange: string;
  key: string;
}

export interface QueueDefinition {
  name: string;
  durable: boolean;
  exclusive: boolean;
  arguments: Readonly<Record<string, string | number>>;
  /** Where the queue's messages come from, and where its dead letters go. */
  bindings: readonly QueueBinding[];
}

export const deadLetterQueue: QueueDefinition = {
  name: 'dead-letters',
  durable: true,
  exclusive: false,
  arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': NO_DELIVERY_LIMIT },
  bindings: [],
};

/** The command queues that every process declares. */
export const sharedQueues = ['turns', 'results'] as const;

/** `math` → `tools.math`. */
export function toolsQueue(toolset: string): string {
  return `tools.${toolset}`;
}

/** `ledger.<group>.<purpose>`; see ledger-topology.ts. */
export const LEDGER_QUEUE = /^ledger\.([a-z0-9]+(?:-[a-z0-9]+)*)\.(calls|beats|bulk)$/;

/** The kind of messages that a command queue may carry; undefined if there is no such command queue. */
export function kindOfQueue(name: string): QueueKind | undefined {
  if (name === 'turns' || name === 'results') return name;
  if (/^tools\.[A-Za-z0-9_-]{1,128}$/.test(name)) return 'tools';
  return LEDGER_QUEUE.test(name) ? 'ledger' : undefined;
}

export function commandQueue(name: string): QueueDefinition {
  return {
    name,
    durable: true,
    exclusive: false,
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': DELIVERY_LIMIT,
      'x-dead-letter-exchange': exchanges.dead,
      'x-dead-letter-routing-key': name,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
      'x-max-length': MAX_QUEUE_LENGTH,
    },
    bindings: [
      { queue: name, exchange: exchanges.commands, key: name },
      // Without this binding a dead message stays in its queue: at-least-once dead-lettering waits for a route.
      { queue: deadLetterQueue.name, exchange: exchanges.dead, key: name },
    ],
  };
}

/** Where a process, by its control key, receives control messages: a group of workers has an exchange of its own. */
export function controlExchangeOf(key: string): string {
  const group = groupOf(key);
  return group === undefined ? exchanges.control : `${exchanges.control}.${group}`;
}

/** Under which keys a process receives control messages: its own, and that of all like it. */
export function controlKeysOf({ role, processId }: { role: Role; processId: string }): string[] {
  const own = controlKey(processId);
  return [own, groupOf(own) === undefined ? `${role}.all` : 'ledger.all'];
}

/** `connectionId` makes the name unique: the broker may hold a dead connection's exclusive queue for half a minute. */
export function controlQueue(
  identity: { role: Role; processId: string },
  connectionId: string,
): QueueDefinition {
  const own = controlKey(identity.processId);
  const group = groupOf(own);
  // The credentials of a group may use only names that begin with the group's.
  const name = `${group === undefined ? own : own.replace(`${group}--`, `${group}.`)}.control.${connectionId}`;
  const exchange = controlExchangeOf(own);
  const bindings = controlKeysOf(identity).map((key) => ({ queue: name, exchange, key }));
  return exclusiveQueue(name, { 'x-overflow': 'reject-publish', 'x-max-length': 10_000 }, bindings);
}

/** Bound to each conversation that the process follows. */
export function eventsQueue(processId: string, connectionId: string): QueueDefinition {
  const name = `${controlKey(processId)}.events.${connectionId}`;
  return exclusiveQueue(name, { 'x-overflow': 'drop-head', 'x-max-length': 50_000 }, []);
}

/** The same for every process and version: FNV-1a of the id's UTF-16 units. */
export function eventExchange(conversationId: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < conversationId.length; index++) {
    hash = Math.imul(hash ^ conversationId.charCodeAt(index), 0x01000193);
  }
  return exchanges.events[(hash >>> 0) % EVENT_EXCHANGE_COUNT]!;
}

function exclusiveQueue(
  name: string,
  limits: Record<string, string | number>,
  bindings: QueueBinding[],
): QueueDefinition {
  // The type is explicit because a virtual host may have another default.
  return {
    name,
    durable: false,
    exclusive: true,
    arguments: { 'x-queue-type': 'classic', ...limits },
    bindings,
  };
}
