import type { ConversationEvent, Message, Role } from '#contracts';

/**
 * The result of a publish. `confirmed`: the broker has the message. `returned`: no queue is bound to the key.
 * `refused`: the queue is full. `unknown`: the connection broke or no answer came in time, so the broker may or may not
 * have the message.
 */
export type PublishOutcome = 'confirmed' | 'returned' | 'refused' | 'unknown';

/** `ack`: the message is done. `reject`: dead-letter it. A handler that throws rejects. */
export type DeliveryOutcome = 'ack' | { reject: string };

/** A delivered message. It stays unacknowledged until the handler's promise resolves. */
export interface Delivery {
  message: Message;
  redelivered: boolean;
  /**
   * Aborted when the delivery's channel is gone. The broker will deliver the message again, and settling this delivery
   * has no effect.
   */
  lost: AbortSignal;
}

/** A message that the broker gave up on. Its content is raw, because it may not parse. */
export interface DeadDelivery {
  content: Buffer;
  /** The queue in which it died. */
  queue: string;
  /** `rejected`, `delivery_limit`, `maxlen`, … plus the consumer's own reason if there is one. */
  reason: string;
  messageId: string;
}

export type Handler = (delivery: Delivery) => Promise<DeliveryOutcome>;

export interface Consumer {
  /** Stops taking deliveries. Resolves when every handler has finished or `graceMs` is over. */
  stop(graceMs: number): Promise<void>;
}

/**
 * The bus: commands (durable, confirmed, at least once), control messages (to one living process, mandatory) and events
 * (transient, by conversation). Nothing is buffered across a reconnect; the outbox is in the store. All methods are
 * safe to call while disconnected: publishing resolves to `unknown`, consuming starts on connect.
 */
export interface Bus {
  /** Connects and declares the topology; throws `BusSetupError` with a clear message if that fails. */
  open(): Promise<void>;
  /** Closes consumers and connections; unsettled deliveries return to their queues. */
  close(): Promise<void>;
  /** True while every connection is up. */
  isConnected(): boolean;
  /**
   * True while connected and, as far as is known, able to publish: no broker alarm, and the last confirm came in time.
   */
  takesMessages(): boolean;
  /** Milliseconds since the last (re)connect, by a monotonic clock; 0 while disconnected. */
  connectedForMs(): number;

  /** Publishes to `turns`, `results` or `tools.<toolset>`; persistent, mandatory. Resolves within 5 s. */
  publish(queue: string, message: Message): Promise<PublishOutcome>;
  /** The queue's name fixes its kind. Each consumer of a `tools.<toolset>` queue declares that queue. */
  consume(queue: string, options: { prefetch: number }, handler: Handler): Promise<Consumer>;
  /**
   * Consumes dead letters; `handler` stores them. When it resolves, the message is acked; when it throws, the message
   * stays in the queue and is delivered again.
   */
  consumeDead(handler: (dead: DeadDelivery) => Promise<void>): Promise<Consumer>;
  /**
   * Declares the queue passively, on a separate channel. Throws `BusUnavailableError` if no answer comes within 5 s.
   */
  inspect(queue: string): Promise<{ consumers: number; messages: number } | 'missing'>;

  /**
   * Sends to one process (`orchestrator.<uuid>`) or to all of a role (`worker.all`). It is mandatory, so a dead process
   * or a full queue returns the message. Never `refused`. Bounded like `publish`; neither ever rejects.
   */
  send(controlKey: string, message: Message): Promise<PublishOutcome>;
  /** Consumes control messages to this process; handlers must be quick. Poison messages are logged and dropped. */
  onControl(identity: { role: Role; processId: string }, handler: (message: Message) => void): Promise<void>;

  /** Fire and forget, on a separate connection, in order per conversation and publisher. */
  emit(event: ConversationEvent): void;
  /** Resolves when every later event of the conversation will reach `onEvent` handlers of this process. */
  follow(conversationId: string): Promise<void>;
  unfollow(conversationId: string): void;
  /**
   * Receives events of followed conversations, in order per publisher, and `gap` when a reconnect may have lost some.
   */
  onEvent(listener: { event(event: ConversationEvent): void; gap(): void }): void;
}
