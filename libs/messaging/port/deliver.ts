import { decodeMessage, type Message } from '#contracts';
import { backOffMs, type Time } from '#time';
import { traceIdOf } from '#tracing';
import type { BusLogger } from './bus-logger.js';
import type { BusObserver } from './bus-observer.js';
import type { DeadDelivery, Delivery, Handler } from './bus.port.js';
import { RECONNECT_BACK_OFF } from './reconnect-back-off.js';
import type { Hold } from './hold.js';
import { kindOfQueue } from './topology.js';

/**
 * How a message is settled. A message never goes back to its queue by a verdict, only because its channel closed.
 * `reason` is given where the message itself does not show it.
 */
export type Verdict = 'ack' | { reject: true; reason?: string };

const MAX_REASON_LENGTH = 300;
const FOREIGN = 'in the name of another';

export interface Arrival {
  content: Uint8Array;
  queue: string;
  redelivered: boolean;
  hold: Hold;
  origin?: Origin;
}

/** Where a message came from. */
export interface Origin {
  /** Whether the message may come from there. */
  isAllowed: (message: Message) => boolean;
  /** A message from a group of workers is dropped. */
  onDropped: BusObserver['requestDropped'];
}

/** Never rejects. A handler that throws is logged, and its message is dead-lettered. */
export async function deliverCommand(
  arrival: Arrival,
  handler: Handler,
  logger: BusLogger,
): Promise<Verdict> {
  const { queue, hold, redelivered } = arrival;
  const kind = kindOfQueue(queue);
  const decoded = kind ? decodeMessage(arrival.content, kind) : undefined;
  if (!decoded?.ok) {
    if (kind === 'ledger') return dropRequest(arrival, 'unreadable', decoded?.reason, logger);
    logger.warn({ queue, reason: decoded?.reason }, 'unreadable message dead-lettered');
    return { reject: true };
  }
  const { message } = decoded;
  if (arrival.origin?.isAllowed(message) === false) return dropRequest(arrival, 'foreign', FOREIGN, logger);
  const delivery: Delivery = {
    message,
    redelivered,
    get lost() {
      return hold.lost;
    },
  };
  try {
    const outcome = await handler(delivery);
    if (outcome === 'ack') return 'ack';
    logger.warn({ ...describe(queue, message), reason: outcome.reject }, 'message rejected');
    return { reject: true, reason: outcome.reject.slice(0, MAX_REASON_LENGTH) };
  } catch (error) {
    logger.error({ ...describe(queue, message), err: error }, 'handler failed, message rejected');
    return { reject: true, reason: `handler failed: ${String(error)}`.slice(0, MAX_REASON_LENGTH) };
  }
}

/** Whoever asks repeats what is not answered, and a dead letter would be a way to fill the store. */
function dropRequest(
  { queue, origin }: Arrival,
  why: 'unreadable' | 'foreign',
  reason: string | undefined,
  logger: BusLogger,
): Verdict {
  logger.warn({ queue, reason }, 'unreadable request dropped');
  origin?.onDropped(why);
  return 'ack';
}

/**
 * Retries until the handler succeeds or the delivery is lost. A dead letter must not be returned to its queue: the
 * broker would count the return and drop the message at the limit.
 */
export async function deliverDead(
  dead: DeadDelivery,
  handler: (dead: DeadDelivery) => Promise<void>,
  hold: Hold,
  { clock, random, logger }: Time & { logger: BusLogger },
): Promise<Verdict> {
  for (let failures = 0; !hold.isLost; failures++) {
    try {
      await handler(dead);
      break;
    } catch (error) {
      logger.error(
        { queue: dead.queue, message_id: dead.messageId, err: error },
        'dead letter not stored, trying again',
      );
      await clock.sleep(backOffMs(failures, RECONNECT_BACK_OFF, random), hold.lost).catch(() => undefined);
    }
  }
  return 'ack';
}

/** Control messages are handled at once. Unreadable ones are dropped, because they have no dead-letter queue. */
export function deliverControl(
  content: Uint8Array,
  handler: (message: Message) => void,
  logger: BusLogger,
  origin?: Origin,
): void {
  const decoded = decodeMessage(content, 'control');
  if (!decoded.ok || origin?.isAllowed(decoded.message) === false) {
    logger.warn({ reason: decoded.ok ? FOREIGN : decoded.reason }, 'unreadable control message dropped');
    origin?.onDropped(decoded.ok ? 'foreign' : 'unreadable');
    return;
  }
  try {
    handler(decoded.message);
  } catch (error) {
    logger.error({ ...describe('control', decoded.message), err: error }, 'control handler failed');
  }
}

/**
 * `rejected`, `delivery_limit`, …, and, for unreadable content, why it cannot be read: the broker does not know that.
 */
export function describeDeath(queue: string, brokerReason: string, content: Uint8Array): string {
  const kind = kindOfQueue(queue);
  const decoded = kind ? decodeMessage(content, kind) : undefined;
  return decoded?.ok === false ? `${brokerReason}: ${decoded.reason}` : brokerReason;
}

/** The reason of a dead letter that a consumer rejected. */
export function rejectionOf(reason: string | undefined): string {
  return reason === undefined ? 'rejected' : `rejected: ${reason}`;
}

function describe(queue: string, message: Message): object {
  const { type: message_type, id: message_id, traceparent } = message;
  return { queue, message_type, message_id, trace_id: traceIdOf(traceparent) };
}
