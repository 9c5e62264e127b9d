import { z } from 'zod';
import {
  clientRequestSchemas,
  describeIssues,
  idSchema,
  isObject,
  isWithinDepth,
  type ClientRequest,
} from '#contracts';
import { exceedsFrameValues } from '../../door/bodies/frame-values.js';
import type { FrameErrorCode } from './server-frame.js';

export interface Refusal {
  code: FrameErrorCode;
  message: string;
  /** The client's id, if it sent one: it then waits for the end of an answer. */
  conversation_id?: string;
}

export type ClientFrame =
  | { type: 'ping' }
  | { type: 'message'; request: ClientRequest<'message'> & { conversation_id: string } }
  | { type: 'refused'; refusal: Refusal };

const MAX_ECHOED_LENGTH = 128;

const { content, client_message_id } = clientRequestSchemas.message.shape;
const messageSchema = z.object({
  conversation_id: z.string(),
  content,
  client_message_id: client_message_id.unwrap().nullish(),
});

export const BINARY_FRAME = {
  type: 'refused',
  refusal: { code: 'INVALID_FORMAT', message: 'A frame must be text.' },
} as const satisfies ClientFrame;

/** One text frame of a client; no `type` means `message`. */
export function parseClientFrame(text: string): ClientFrame {
  if (exceedsFrameValues(text)) return refused('The frame has too many values.');
  const frame = parseJson(text);
  if (!isObject(frame)) return refused('A frame must be one JSON object.');
  const { type = 'message', conversation_id } = frame;
  if (type === 'ping') return { type };
  if (type !== 'message') return refused('The type must be message or ping.');
  const parsed = isWithinDepth(frame) ? messageSchema.safeParse(frame) : undefined;
  if (!parsed) return refused('The frame is nested too deeply.', conversation_id);
  if (!parsed.success) return refused(describeIssues(parsed.error), conversation_id);
  const { client_message_id: id, ...message } = parsed.data;
  if (!idSchema.safeParse(message.conversation_id).success)
    return { type: 'refused', refusal: denied(message.conversation_id) };
  return { type: 'message', request: { ...message, ...(id == null ? {} : { client_message_id: id }) } };
}

/** The same for unknown conversations and those of other users. */
export function denied(conversation_id: string): Refusal {
  const message = 'There is no such conversation, or it is not yours.';
  return { code: 'ACCESS_DENIED', message, conversation_id: conversation_id.slice(0, MAX_ECHOED_LENGTH) };
}

function refused(message: string, conversationId?: unknown): ClientFrame {
  const place = typeof conversationId === 'string' ? conversationId.slice(0, MAX_ECHOED_LENGTH) : undefined;
  const refusal: Refusal = { code: 'INVALID_FORMAT', message };
  return { type: 'refused', refusal: place === undefined ? refusal : { ...refusal, conversation_id: place } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
