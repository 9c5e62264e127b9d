import { eventSchema, isWithinDepth, MAX_DEPTH, type ConversationEvent, type EventOf } from '#contracts';

/** An event nests arguments and results deeper than the message that carried them. */
const maxEventDepth = MAX_DEPTH + 8;

export function encodeEvent(event: ConversationEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

/** Undefined if this version does not know the event. */
export function decodeEvent(content: Buffer): ConversationEvent | undefined {
  try {
    const raw: unknown = JSON.parse(content.toString('utf8'));
    if (isToken(raw)) return raw;
    if (!isWithinDepth(raw, maxEventDepth)) return undefined;
    return eventSchema.safeParse(raw).data;
  } catch {
    return undefined;
  }
}

/** Nearly every event is a token with only plain fields; checking them costs a tenth of parsing with the schema. */
function isToken(raw: unknown): raw is EventOf<'token'> {
  if (typeof raw !== 'object' || raw === null || (raw as { type?: unknown }).type !== 'token') return false;
  const { conversation_id, turn_id, timestamp, step, attempt, content, offset, ...rest } =
    raw as EventOf<'token'>;
  const texts = [conversation_id, turn_id, timestamp, content];
  const counts = [step, attempt, offset];
  return (
    texts.every((text) => typeof text === 'string') &&
    counts.every((count) => Number.isInteger(count) && count >= 0) &&
    Object.keys(rest).length === 1
  );
}
