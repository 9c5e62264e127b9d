import type { ConsumeMessage } from 'amqplib';
import type { DeadDelivery } from '../port/bus.port.js';
import { describeDeath, rejectionOf } from '../port/deliver.js';

/** Set on messages that a consumer dead-letters itself. */
export const REASON_HEADER = 'x-switchyard-reason';

/** A message from the dead-letter queue, with the queue it was in and why it is dead. */
export function toDeadDelivery({ content, properties, fields }: ConsumeMessage): DeadDelivery {
  const headers = properties.headers ?? {};
  const ownReason: unknown = headers[REASON_HEADER];
  if (typeof ownReason === 'string') {
    const reason = rejectionOf(ownReason);
    return {
      content: Buffer.from(content),
      queue: fields.routingKey,
      reason,
      messageId: String(properties.messageId),
    };
  }
  const death: Partial<Record<'queue' | 'reason', unknown>> = headers['x-death']?.[0] ?? {};
  const queue = headerText(death.queue ?? headers['x-first-death-queue']);
  const reason = headerText(death.reason ?? headers['x-first-death-reason']);
  return {
    // The content is a slice of a network buffer; keeping the slice would keep the whole buffer in memory.
    content: Buffer.from(content),
    queue,
    reason: describeDeath(queue, reason, content),
    messageId: String(properties.messageId ?? ''),
  };
}

/** Whoever publishes may set these headers, too. */
function headerText(header: unknown): string {
  return typeof header === 'string' ? header : 'unknown';
}
