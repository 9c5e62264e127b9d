import { eventSchema, isWithinDepth, MAX_DEPTH, type ConversationEvent } from '#contracts';

/** An event holds arguments and results deeper inside than the message they came in. */
const maxEventDepth = MAX_DEPTH + 8;

export function encodeEvent(event: ConversationEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

/** undefined: not an event that this version knows. */
export function decodeEvent(content: Buffer): ConversationEvent | undefined {
  try {
    const raw: unknown = JSON.parse(content.toString('utf8'));
    if (!isWithinDepth(raw, maxEventDepth)) return undefined;
    return eventSchema.safeParse(raw).data;
  } catch {
    return undefined;
  }
}
