import type { StopReason, Usage } from '#contracts';
import { ModelError, type ModelPart, type ModelRequest } from '#llm';
import type { Random } from '#time';
import { NO_USAGE } from '#turn';
import type { Permit } from '../admission/model-admission.js';
import type { AskPolicy } from './ask-policy.js';
import { AttemptUsage } from './attempt-usage.js';
import type { ChatSpan } from './chat-span.js';
import type { AskEnd, SentRequest, StepPart } from './step-part.js';
import { waitForPermit } from './wait-for-permit.js';

/** Runs one attempt: admits the request, sends it, and reads it to its end. The last part is the usage. */
export async function* runAttempt(
  request: ModelRequest,
  policy: AskPolicy & { canGiveUp: boolean },
  signal: AbortSignal,
): AsyncGenerator<StepPart, AskEnd> {
  const { admission, canGiveUp, clock } = policy;
  let permit: Permit | undefined;
  let counter: AttemptUsage | undefined;
  let chat: ChatSpan | undefined;
  let usage: Usage | undefined;
  let end: AskEnd | { ended: 'failed'; error: unknown };
  try {
    if (admission) permit = yield* waitForPermit(request, { admission, canGiveUp, clock }, signal);
    signal.throwIfAborted();
    if (admission) {
      counter = new AttemptUsage(request, clock);
      chat = policy.startChat(request);
    }
    end = { ended: 'answered', stopReason: yield* readModel(request, policy, counter, signal) };
  } catch (error) {
    end = signal.aborted ? { ended: 'aborted' } : { ended: 'failed', error };
  } finally {
    usage = counter?.sum(signal.aborted);
    permit?.done(usage);
  }
  const sent = counter && { outcome: outcomeOf(end), firstPartMs: counter.firstPartMs };
  if (sent) chat?.end(end, sent, usage);
  yield { type: 'usage', model: request.model, usage: usage ?? NO_USAGE, sent };
  if (end.ended !== 'failed') return end;
  if (end.error instanceof ModelError) return { ended: 'failed', error: end.error };
  throw end.error;
}

function outcomeOf(end: AskEnd | { ended: 'failed'; error: unknown }): SentRequest['outcome'] {
  if (end.ended === 'answered') return 'ok';
  if (end.ended === 'aborted') return 'aborted';
  return end.error instanceof ModelError ? end.error.kind : 'server';
}

async function* readModel(
  request: ModelRequest,
  { model, random, faultPoint }: AskPolicy,
  counter: AttemptUsage | undefined,
  signal: AbortSignal,
): AsyncGenerator<StepPart, StopReason> {
  for await (const part of model.stream(request, signal)) {
    counter?.read(part);
    if (signal.aborted) throw signal.reason;
    if (part.type === 'end') return part.stop_reason;
    const shown = stepPartOf(part, random);
    if (shown) yield shown;
    if (part.type === 'text') await faultPoint('token_streamed');
  }
  throw new ModelError('The model’s answer broke off.', 'network', { retryable: true });
}

function stepPartOf(part: Exclude<ModelPart, { type: 'end' }>, random: Random): StepPart | undefined {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part;
    case 'thinking_end': {
      const { text, signature, data, model } = part;
      return { type: 'thinking_end', block: { type: 'thinking', text, signature, data, model } };
    }
    case 'tool_call': {
      const { name, raw } = part;
      const tool_call_id = newToolCallId(random);
      return { type: 'call', call: { tool_call_id, name, arguments: part.arguments, raw } };
    }
    case 'tool_call_delta':
    case 'usage':
      return undefined;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The largest multiple of 62 in a byte: values above would favour some characters. */
const UNBIASED = 248;

/** `call_` + 22 random `[A-Za-z0-9]`. */
function newToolCallId(random: Pick<Random, 'bytes'>): string {
  let id = 'call_';
  while (id.length < 27) {
    for (const byte of random.bytes(32)) {
      if (byte < UNBIASED && id.length < 27) id += ALPHABET[byte % 62];
    }
  }
  return id;
}
