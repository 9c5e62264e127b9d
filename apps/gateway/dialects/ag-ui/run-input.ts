import { z } from 'zod';
import { isObject, MAX_CONTENT_LENGTH } from '#contracts';
import type { BodyReader } from '../../door/bodies/body-reader.js';
import { RequestError } from '../../errors/request-error.js';
import { parseRequest } from '../../http/parse.pipe.js';
import type { AgUiMessage } from './ag-ui-event.js';
import type { ResumeEntry } from './interrupts.js';

const MAX_SYSTEM_LENGTH = 200_000;
const nameSchema = z.string().min(1).max(512);

const messageSchema = z.looseObject({
  id: z.string(),
  role: z.string(),
  content: z.unknown().optional(),
});

const inputSchema = z.looseObject({
  threadId: nameSchema,
  runId: nameSchema,
  messages: z.array(messageSchema).max(10_000),
  context: z
    .array(z.looseObject({ description: z.string(), value: z.string() }))
    .max(1_000)
    .nullish(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().max(512),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(100)
    .nullish(),
});

type Message = z.output<typeof messageSchema>;

/** A parsed run. */
export interface RunInput {
  threadId: string;
  runId: string;
  /**
   * Answers to the questions of an earlier run of the thread. This run then continues that turn and sends no message.
   */
  resume: ResumeEntry[];
  /** The last message of the user. */
  content: string;
  /** Instructions and context. */
  system: string;
  /** Unchanged, for a snapshot to keep. */
  messages: AgUiMessage[];
}

/** Throws `RequestError`. Unknown fields are ignored, and so are the client's tools and state. */
export function readRun(body: unknown): RunInput {
  const { threadId, runId, messages, context, resume } = parseRequest(inputSchema, body);
  const answers = resume ?? [];
  return {
    threadId,
    runId,
    resume: answers.map(({ interruptId, status, payload }) => ({ interruptId, status, payload })),
    content: answers.length > 0 ? '' : lastOfUser(messages),
    system: systemOf(messages, context ?? []),
    messages: messages.filter(({ role }) => role !== 'activity'),
  };
}

/** True when the client has sent only one message, so it may know nothing else of its thread. */
export function hasNoHistory({ messages }: RunInput): boolean {
  const spoken = messages.filter(({ role }) => role !== 'system' && role !== 'developer');
  return spoken.length <= 1;
}

function lastOfUser(messages: Message[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  if (!last) throw new RequestError('invalid', 'messages: there is none of the user');
  const text = textOf(last.content);
  if (text === undefined)
    throw new RequestError('invalid', 'messages: the last one of the user must be text, or parts of text');
  if (text.trim() === '') throw new RequestError('invalid', 'messages: the last one of the user is blank');
  if (text.length > MAX_CONTENT_LENGTH)
    throw new RequestError('content_too_long', `A message has at most ${MAX_CONTENT_LENGTH} characters.`);
  return text;
}

function systemOf(messages: Message[], context: { description: string; value: string }[]): string {
  const told = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content) ?? '');
  const given = context.map(({ description, value }) => `${description}: ${value}`);
  const system = [...told, ...given].filter((part) => part.trim() !== '').join('\n\n');
  if (system.length <= MAX_SYSTEM_LENGTH) return system;
  throw new RequestError(
    'content_too_long',
    `System messages and context have at most ${MAX_SYSTEM_LENGTH} characters in all.`,
  );
}

/** Undefined for any other kind of message, or for one with other parts. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const parts = content.map((part: unknown) => textOfPart(part));
  return parts.every((part) => part !== undefined) ? parts.join('\n') : undefined;
}

function textOfPart(part: unknown): string | undefined {
  if (!isObject(part) || part.type !== 'text') return undefined;
  return typeof part.text === 'string' ? part.text : undefined;
}

export const runReader: BodyReader<RunInput> = { module: import.meta.url, name: 'readRun', read: readRun };
