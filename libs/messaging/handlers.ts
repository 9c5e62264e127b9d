import type { Message, MessageType, QUEUE_TYPES, QueueKind } from '#contracts';
import type { Delivery, DeliveryOutcome, Handler } from './bus.port.js';

/** Message types that a queue of this kind carries. */
export type TypeOf<K extends QueueKind> = (typeof QUEUE_TYPES)[K][number];

type TypeHandler<T extends MessageType> = (
  message: Message<T>,
  delivery: Delivery,
) => Promise<DeliveryOutcome>;

/** Exactly one handler for each message type of a queue kind: a missing or a foreign one does not compile. */
export type Handlers<K extends QueueKind> = { [T in TypeOf<K>]: TypeHandler<T> };

/** For `bus.consume`. */
export function dispatchTo<K extends QueueKind>(handlers: Handlers<K>): Handler {
  const byType = handlers as unknown as Record<string, TypeHandler<MessageType>>;
  // The bus delivers only types that belong to the queue.
  return (delivery) => byType[delivery.message.type]!(delivery.message, delivery);
}
