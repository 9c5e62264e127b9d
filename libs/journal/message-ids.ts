import { z } from 'zod';
import {
  bodySchemas,
  completeResultFields,
  controlKeySchema,
  idSchema,
  resultStatusSchema,
  timestampSchema,
  toolCallIdSchema,
  toolClassSchema,
  toolNameSchema,
} from '#contracts';

/** The ids in a message that no handler accepted: no argument, no result, no text of a user. */
interface MessageIds {
  turnId?: string;
  toolCallId?: string;
  type?: string;
  /** The message as JSON with only these parts, and the sizes of the parts left out; empty if it cannot be read. */
  kept: string;
}

/** Parsing more than this would block the process for too long. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024;

const envelopeParts = {
  id: idSchema,
  type: z.enum(Object.keys(bodySchemas)),
  version: z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/),
  at: timestampSchema,
};
const bodyParts = {
  turn_id: idSchema,
  conversation_id: idSchema,
  tool_call_id: toolCallIdSchema,
  n: z.int().min(1),
  tool_name: toolNameSchema,
  class: toolClassSchema,
  timeout_ms: z.int().min(1),
  deadline: timestampSchema,
  max_attempts: z.int().min(1),
  reply_to: controlKeySchema,
  status: resultStatusSchema,
  duration_ms: z.int().min(0),
  worker: idSchema,
};
/** Text written by users and tools; only its size is kept. */
const CONTENTS = ['arguments', ...Object.keys(completeResultFields).filter((name) => name !== 'status')];

/**
 * Reads ids from messages that no handler accepted: of another version, too deep, too large, or with a wrong body. The
 * ids are hints, looked up in the journal. Content that is not JSON has none.
 */
export function readMessageIds(content: Buffer): MessageIds {
  if (content.byteLength > MAX_PARSED_BYTES) return { kept: '' };
  let raw: unknown;
  try {
    raw = JSON.parse(content.toString('utf8'));
  } catch {
    return { kept: '' };
  }
  const envelope = (raw ?? {}) as Record<string, unknown>;
  const given = (envelope.body ?? {}) as Record<string, unknown>;
  const body = { ...partsOf(given, bodyParts), ...sizesOf(given) };
  const kept = { ...partsOf(envelope, envelopeParts), ...(Object.keys(body).length > 0 ? { body } : {}) };
  return {
    turnId: idSchema.safeParse(given.turn_id).data,
    toolCallId: toolCallIdSchema.safeParse(given.tool_call_id).data,
    type: envelopeParts.type.safeParse(envelope.type).data,
    kept: Object.keys(kept).length > 0 ? JSON.stringify(kept) : '',
  };
}

function partsOf(given: Record<string, unknown>, parts: Record<string, z.ZodType>): Record<string, unknown> {
  const found = Object.entries(parts).map(([name, schema]) => [name, schema.safeParse(given[name])] as const);
  return Object.fromEntries(found.flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data]])));
}

function sizesOf(given: Record<string, unknown>): Record<string, number> {
  const sizes = CONTENTS.flatMap((name) => {
    const value = given[name];
    return value == null ? [] : [[`${name}_bytes`, sizeOf(value)] as const];
  });
  return Object.fromEntries(sizes);
}

/** Returns 0 for a value nested too deep to be serialised. */
function sizeOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return 0;
  }
}
