import { idSchema, toolCallIdSchema } from '#contracts';

/** What a dead message was about, as far as it says so. */
export interface DeadLetterSubject {
  turnId?: string;
  toolCallId?: string;
}

/** Parsing more than this would stop the process for too long. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024;

/**
 * Reads ids from messages that nobody accepted: of another version, too deep, too large, with a wrong body. What
 * comes out is a hint and is looked up in the journal; what is not even JSON says nothing.
 */
export function readSubject(content: Buffer): DeadLetterSubject {
  if (content.byteLength > MAX_PARSED_BYTES) return {};
  let raw: unknown;
  try {
    raw = JSON.parse(content.toString('utf8'));
  } catch {
    return {};
  }
  const body: unknown = (raw as { body?: unknown } | null)?.body;
  const { turn_id, tool_call_id } = (body ?? {}) as Record<string, unknown>;
  return {
    turnId: idSchema.safeParse(turn_id).data,
    toolCallId: toolCallIdSchema.safeParse(tool_call_id).data,
  };
}
