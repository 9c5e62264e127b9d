import type { ConversationEvent, Message, Role } from '#contracts';

/**
 * What became of a command: `confirmed` the broker has it; `returned` no queue is bound to the key; `refused` the
 * queue is full; `unknown` the connection broke or no answer came in time, so it may or may not be there.
 */
export type PublishOutcome = 'confirmed' | 'returned' | 'refused' | 'unknown';

/** `ack`: done with it. `reject`: dead-letter it. A handler that throws rejects. */
export type DeliveryOutcome = 'ack' | { reject: string };

/** A message in hand. It stays unacknowledged until the handler's promise resolves. */
export interface Delivery {
  message: Message;
  redelivered: boolean;
  /** Aborted when the delivery's channel is gone: the broker will deliver it again, settling it does nothing. */
  lost: AbortSignal;
}

/** Something the broker gave up on: raw, because it may not parse. */
export interface DeadDelivery {
  content: Buffer;
  /** Queue it died in. */
  queue: string;
  /** `rejected`, `delivery_limit`, `maxlen`, … plus the consumer's own reason if there is one. */
  reason: string;
  messageId: string;
}

export type Handler = (delivery: Delivery) => Promise<DeliveryOutcome>;

export interface Consumer {
  /** Takes no new deliveries; resolves when none is in hand any more (handlers finished) or `graceMs` is over. */
  stop(graceMs: number): Promise<void>;
}

/**
 * The bus: commands (durable, confirmed, at least once), control messages (to one living process, mandatory) and
 * events (transient, by conversation). Nothing is buffered across a reconnect: the outbox is in the store.
 * All methods are safe to call while disconnected: publishing resolves to `unknown`, consuming starts on connect.
 */
export interface Bus {
  /** Connects and declares the topology; throws `BusSetupError` with a clear message if that fails. */
  open(): Promise<void>;
  /** Closes consumers and connections; deliveries in hand go back to their queues. */
  close(): Promise<void>;
  /** True while every connection is up. */
  isConnected(): boolean;
  /** Connected, and as far as is known what is published now goes through: no alarm, and the last answer came in time. */
  takesMessages(): boolean;
  /** Milliseconds since the last (re)connect, by a monotonic clock; 0 while disconnected. */
  connectedForMs(): number;

  /** To `turns`, `results` or `tools.<toolset>`; persistent, mandatory. Bounded: resolves within 5 s. */
  publish(queue: string, message: Message): Promise<PublishOutcome>;
  /** Queue kinds are fixed by the name; `tools.<toolset>` queues are declared by who consumes them. */
  consume(queue: string, options: { prefetch: number }, handler: Handler): Promise<Consumer>;
  /** Stores what died; resolving acks, throwing leaves it in the queue and it comes again. */
  consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer>;
  /** Passive declare on a channel of its own. Without an answer within 5 s: `BusUnavailableError`. */
  inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'>;

  /**
   * To a process (`orchestrator.<uuid>`) or to all of a role (`worker.all`); mandatory, so a dead process returns
   * it, and one with a full queue too. Never `refused`. Bounded like `publish`; neither ever rejects.
   */
  send(controlKey: string, message: Message): Promise<PublishOutcome>;
  /** Control messages to this process; handlers must be quick. Poison is logged and dropped. */
  onControl(identity: { role: Role; processId: string }, handler: (message: Message) => void): Promise<void>;

  /** Fire and forget, on a connection of its own, in order per conversation and publisher. */
  emit(event: ConversationEvent): void;
  /** Resolves when every later event of the conversation will reach `onEvent` handlers of this process. */
  follow(conversationId: string): Promise<void>;
  unfollow(conversationId: string): void;
  /** Events of followed conversations, in order per publisher; and `gap` when a reconnect may have lost some. */
  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void;
}
