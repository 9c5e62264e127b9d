import type { z } from 'zod';
import { describeIssues } from './describe-issues.js';
import { isWithinDepth, MAX_DEPTH, MAX_MESSAGE_BYTES } from './limits.js';
import { ledgerRequestSchema, MAX_REASON_LENGTH } from './ledger-messages.js';
import {
  bodySchemas,
  envelopeSchema,
  LEDGER_TYPES,
  QUEUE_TYPES,
  type Message,
  type QueueKind,
} from './messages.js';

export type Decoded = { ok: true; message: Message } | { ok: false; reason: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a message, or gives the reason why it goes to `dead-letters`. A worker's request is given as
 * `ledger.unreadable` when nothing but its sender can be read. Never throws.
 */
export function decodeMessage(bytes: Uint8Array, queue: QueueKind): Decoded {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) return refuse(`larger than ${MAX_MESSAGE_BYTES} bytes`);
  let raw: unknown;
  try {
    raw = JSON.parse(utf8.decode(bytes));
  } catch {
    return refuse('not JSON');
  }
  const envelope = envelopeSchema.safeParse(raw);
  if (!isWithinDepth(raw)) {
    const reason = `deeper than ${MAX_DEPTH} levels`;
    return unreadableRequest(envelope.data, reason) ?? refuse(reason);
  }
  if (!envelope.success) return refuse(describeIssues(envelope.error));
  const { type } = envelope.data;
  if (!(QUEUE_TYPES[queue] as readonly string[]).includes(type))
    return refuse(`type ${type.slice(0, 64)} does not belong here`);
  const body = bodySchemas[type as keyof typeof bodySchemas].safeParse(envelope.data.body);
  if (!body.success) {
    const reason = `body: ${describeIssues(body.error)}`;
    return unreadableRequest(envelope.data, reason) ?? refuse(reason);
  }
  return { ok: true, message: { ...envelope.data, body: body.data } as Message };
}

/** Looks at nothing below the body's own fields. */
function unreadableRequest(
  envelope: z.infer<typeof envelopeSchema> | undefined,
  reason: string,
): Decoded | undefined {
  if (!envelope || !(LEDGER_TYPES as readonly string[]).includes(envelope.type)) return undefined;
  const request = ledgerRequestSchema.safeParse(envelope.body);
  if (!request.success) return undefined;
  const body = { ...request.data, reason: reason.slice(0, MAX_REASON_LENGTH) };
  return { ok: true, message: { ...envelope, type: 'ledger.unreadable', body } };
}

export function encodeMessage(message: Message): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function refuse(reason: string): Decoded {
  return { ok: false, reason };
}
