import type { Clock } from '#time';
import type { PublishOutcome } from '../port/bus.port.js';
import {
  deadLetterQueue,
  DELIVERY_LIMIT,
  kindOfQueue,
  MAX_QUEUE_LENGTH,
  sharedQueues,
} from '../port/topology.js';
import { parseLedgerQueue, REQUEST_LIFE_MS } from '../port/ledger-topology.js';
import { MemoryQueue, type StoredMessage } from './memory-queue.js';

type Receive = (content: Buffer) => void;

/**
 * The broker that buses of one process share, as processes share a RabbitMQ. Its content is gone when the process ends.
 */
export class MemoryBroker {
  private readonly queues = new Map<string, MemoryQueue>();
  private readonly control = new Map<string, Set<Receive>>();
  private readonly followers = new Map<string, Set<Receive>>();

  constructor(private readonly clock: Pick<Clock, 'soon' | 'now'>) {
    this.add(deadLetterQueue.name, Infinity, Infinity);
    for (const name of sharedQueues) this.declareQueue(name);
  }

  /** Creates a `tools.…` queue, as its first consumer does. `maxLength` limits its ready messages. */
  declareQueue(name: string, maxLength = MAX_QUEUE_LENGTH): MemoryQueue {
    if (!kindOfQueue(name)) throw new TypeError(`there is no queue ${name}`);
    const known = this.queues.get(name);
    if (known) return known;
    const isLedger = parseLedgerQueue(name) !== undefined;
    return isLedger
      ? this.add(name, maxLength, Infinity, REQUEST_LIFE_MS)
      : this.add(name, maxLength, DELIVERY_LIMIT);
  }

  get deadLetters(): MemoryQueue {
    return this.queues.get(deadLetterQueue.name)!;
  }

  findQueue(name: string): MemoryQueue | undefined {
    return this.queues.get(name);
  }

  /** Publishes raw bytes, readable or not. */
  publish(queue: string, content: Buffer, messageId: string): PublishOutcome {
    const found = kindOfQueue(queue) && this.queues.get(queue);
    return found ? found.push({ content, messageId, returns: 0 }) : 'returned';
  }

  send(controlKey: string, content: Buffer): PublishOutcome {
    const listeners = this.control.get(controlKey);
    if (!listeners) return 'returned';
    for (const receive of listeners) this.clock.soon(() => receive(content));
    return 'confirmed';
  }

  listen(controlKey: string, receive: Receive): void {
    add(this.control, controlKey, receive);
  }

  unlisten(controlKey: string, receive: Receive): void {
    remove(this.control, controlKey, receive);
  }

  /** Calls `encode` only if the conversation has a follower. */
  emit(conversationId: string, encode: () => Buffer): void {
    const followers = this.followers.get(conversationId);
    if (!followers) return;
    const content = encode();
    for (const receive of followers) this.clock.soon(() => receive(content));
  }

  follow(conversationId: string, receive: Receive): void {
    add(this.followers, conversationId, receive);
  }

  unfollow(conversationId: string, receive: Receive): void {
    remove(this.followers, conversationId, receive);
  }

  private add(name: string, maxLength: number, deliveryLimit: number, lifeMs = Infinity): MemoryQueue {
    const onDead = (message: StoredMessage, death: { queue: string; reason: string }): void => {
      this.deadLetters.push({ ...message, returns: 0, death });
    };
    const queue = new MemoryQueue({ name, maxLength, deliveryLimit, lifeMs, onDead, clock: this.clock });
    this.queues.set(name, queue);
    return queue;
  }
}

function add(map: Map<string, Set<Receive>>, key: string, receive: Receive): void {
  const receivers = map.get(key);
  if (receivers) receivers.add(receive);
  else map.set(key, new Set([receive]));
}

function remove(map: Map<string, Set<Receive>>, key: string, receive: Receive): void {
  const receivers = map.get(key);
  if (receivers?.delete(receive) && receivers.size === 0) map.delete(key);
}
