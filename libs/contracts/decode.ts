import { describeIssues } from './describe-issues.js';
import { isWithinDepth, MAX_DEPTH, MAX_MESSAGE_BYTES } from './limits.js';
import { bodySchemas, envelopeSchema, QUEUE_TYPES, type Message, type QueueKind } from './messages.js';

export type Decoded = { ok: true; message: Message } | { ok: false; reason: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes a message, or gives the reason why it goes to `dead-letters`. Never throws. */
export function decodeMessage(bytes: Uint8Array, queue: QueueKind): Decoded {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) return refuse(`larger than ${MAX_MESSAGE_BYTES} bytes`);
  let raw: unknown;
  try {
    raw = JSON.parse(utf8.decode(bytes));
  } catch {
    return refuse('not JSON');
  }
  if (!isWithinDepth(raw)) return refuse(`deeper than ${MAX_DEPTH} levels`);
  const envelope = envelopeSchema.safeParse(raw);
  if (!envelope.success) return refuse(describeIssues(envelope.error));
  const { type } = envelope.data;
  if (!(QUEUE_TYPES[queue] as readonly string[]).includes(type))
    return refuse(`type ${type.slice(0, 64)} does not belong here`);
  const body = bodySchemas[type as keyof typeof bodySchemas].safeParse(envelope.data.body);
  if (!body.success) return refuse(`body: ${describeIssues(body.error)}`);
  return { ok: true, message: { ...envelope.data, body: body.data } as Message };
}

export function encodeMessage(message: Message): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function refuse(reason: string): Decoded {
  return { ok: false, reason };
}
