import { z } from 'zod';
import { describeIssue, isWithinDepth, MAX_CONTENT_LENGTH, MAX_DEPTH, type ClientRequest } from '#contracts';
import type { BodyReader } from '../../door/bodies/body-reader.js';
import { foldHistory, type Exchange, type SaidMessage } from '../../turns/fold-history.js';
import { digestHistory, type HistoryDigest } from '../identity/history-key.js';
import { OpenAiRefusal } from './openai-error.js';
import { modelOption } from './served-models.js';

const MAX_OUTPUT_TOKENS = 200_000;
const MAX_SYSTEM_LENGTH = 200_000;

const contentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })),
]);
const tokensSchema = z.int().min(1).nullish();

const completionSchema = z.looseObject({
  model: z.string().min(1),
  messages: z
    .array(z.looseObject({ role: z.string(), content: contentSchema.nullish() }))
    .min(1)
    .max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: tokensSchema,
  max_completion_tokens: tokensSchema,
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});

type Body = z.output<typeof completionSchema>;
type Said = Body['messages'][number];

/** A parsed completion request. */
export interface CompletionRequest {
  model: string;
  content: string;
  options: NonNullable<ClientRequest<'message'>['options']>;
  /** The history before the message to answer. */
  history: Exchange[];
  said: HistoryDigest;
  isStreamed: boolean;
  includesUsage: boolean;
}

/** Throws `OpenAiRefusal`. Fields that are not known are ignored. */
export function readCompletion(value: unknown): CompletionRequest {
  const body = parse(value);
  refuseUnsupported(body);
  const { messages, temperature, stream, stream_options } = body;
  const spoken = messages.filter(({ role }) => !isInstruction(role));
  const last = spoken.at(-1);
  if (last?.role !== 'user')
    throw new OpenAiRefusal("The last message must have the role 'user'.", { param: 'messages' });
  const system = textOfAll(messages.filter(({ role }) => isInstruction(role)));
  const history = foldHistory(spoken.slice(0, -1).flatMap(toSaidMessages));
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    model: body.model,
    content: lastText(last, messages.indexOf(last)),
    options: {
      ...modelOption(body.model),
      ...(typeof temperature === 'number' ? { temperature } : {}),
      ...(typeof maxTokens === 'number' ? { max_output_tokens: Math.min(maxTokens, MAX_OUTPUT_TOKENS) } : {}),
      ...(system === '' ? {} : { system }),
    },
    history,
    said: digestHistory(history),
    isStreamed: stream === true,
    includesUsage: stream_options?.include_usage === true,
  };
}

function parse(value: unknown): Body {
  if (!isWithinDepth(value))
    throw new OpenAiRefusal(`The request is nested deeper than ${MAX_DEPTH} levels.`);
  const parsed = completionSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const param = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  if (param === '') throw new OpenAiRefusal('The body must be a JSON object.');
  throw new OpenAiRefusal(`${param.slice(1)}: ${describeIssue(issue)}`, { param: param.slice(1) });
}

function refuseUnsupported({ n, tools, functions, response_format: format }: Body): void {
  if ((tools?.length ?? 0) > 0 || (functions?.length ?? 0) > 0)
    throw new OpenAiRefusal('Tools run on the server; a request cannot bring its own.', {
      param: (tools?.length ?? 0) > 0 ? 'tools' : 'functions',
      code: 'unsupported_tools',
    });
  if ((n ?? 1) > 1)
    throw new OpenAiRefusal('One answer at a time: n must be 1.', { param: 'n', code: 'unsupported_value' });
  if (format && format.type !== 'text')
    throw new OpenAiRefusal('Answers are text: response_format must be of type text.', {
      param: 'response_format',
      code: 'unsupported_value',
    });
}

function isInstruction(role: string): boolean {
  return role === 'system' || role === 'developer';
}

function textOfAll(messages: Said[]): string {
  const text = messages
    .map(textOf)
    .filter((part) => part.trim() !== '')
    .join('\n\n');
  if (text.length <= MAX_SYSTEM_LENGTH) return text;
  throw new OpenAiRefusal(`System messages have at most ${MAX_SYSTEM_LENGTH} characters in all.`, {
    param: 'messages',
    code: 'string_above_max_length',
  });
}

function lastText(message: Said, index: number): string {
  const param = `messages[${index}].content`;
  const parts = Array.isArray(message.content) ? message.content : [];
  const other = parts.find((part) => part.text === undefined);
  if (other)
    throw new OpenAiRefusal(`Content of type '${other.type.slice(0, 50)}' is not supported; send text.`, {
      param,
      code: 'unsupported_content',
    });
  const text = textOf(message);
  if (text.trim() === '') throw new OpenAiRefusal('The last message must not be blank.', { param });
  if (text.length <= MAX_CONTENT_LENGTH) return text;
  throw new OpenAiRefusal(`A message has at most ${MAX_CONTENT_LENGTH} characters.`, {
    param,
    code: 'string_above_max_length',
  });
}

/** Only the visible text of earlier messages is kept; results of a client's own tools are not. */
function toSaidMessages(message: Said): SaidMessage[] {
  const { role } = message;
  return role === 'user' || role === 'assistant' ? [{ role, text: textOf(message) }] : [];
}

/** Other content is only named. */
function textOf({ content }: Said): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? part.refusal ?? `[${part.type}]`).join('\n');
}

export const completionReader: BodyReader<CompletionRequest> = {
  module: import.meta.url,
  name: 'readCompletion',
  read: readCompletion,
};
