import type { Block, ConversationEvent, StopReason, Usage } from '#contracts';
import { faultPoint } from '#faults';
import { ModelError, sayableName, type Model, type ModelPart, type ModelRequest } from '#llm';
import { addUsage, NO_USAGE, stepAttempt } from '#turn';
import type { Permit } from '../admission/model-admission.js';
import type { ShortOf, Shortage } from '../admission/shared-budget.js';
import { abortableDelay } from './abortable-delay.js';
import { emitWaiting } from './emit-waiting.js';
import { newToolCallId } from './tool-call-id.js';
import { TokenStream, type StepPlace } from './token-stream.js';

/** A call as the model asked for it; `arguments` is undefined when they were not a JSON object. */
export interface AskedCall {
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown> | undefined;
  raw: string;
}

/**
 * What one model call came to. `attempt` is the one whose tokens viewers have; `usage` is that of all attempts, as far
 * as the provider has told it.
 */
export type Streamed = { attempt: number; blocks: Block[]; usage: Usage } & (
  | { ended: 'answered'; asked: AskedCall[]; stopReason: StopReason }
  | { ended: 'failed'; error: ModelError }
  /** The signal was aborted: Stop, or somebody else drives now. */
  | { ended: 'aborted' }
);

/** Text of the attempt that runs now, for viewers who join in the middle. */
export interface Progress {
  attempt: number;
  text: string;
}

export interface StreamStep {
  model: Model;
  request: ModelRequest;
  place: Omit<StepPlace, 'attempt'>;
  claimAttempt: number;
  /** After the first request. */
  maxRetries: number;
  /** Of a model that is overloaded, when the step may give up. */
  overloadRetries: number;
  /** What other models have tried of this step: viewers have seen as many attempts. */
  retriesBefore: number;
  /** There is another model to ask: of one that is overloaded not too much is expected. */
  canGiveUp: boolean;
  signal: AbortSignal;
  emit: (event: ConversationEvent) => void;
  /** Waits until the request may be sent; rejects with the signal's reason. */
  admit: (
    request: ModelRequest,
    asked: { signal: AbortSignal; onWait: (shortage: Shortage) => void },
  ) => Promise<Permit>;
  onRetry: (error: ModelError) => void;
  /** The provider wants fewer requests: none for so long. */
  onRefusal: (model: string, retryAfterMs: number) => void;
  /** Called at the start of every attempt with something that always shows its text so far. */
  onAttempt: (progress: Progress) => void;
}

/**
 * One model call with its retries: retryable errors, also in the middle of the stream, start the step again after
 * a back-off (`retry-after` wins), with `waiting` and `step_restarted` so that viewers drop the partial text.
 */
export async function streamStep(input: StreamStep): Promise<Streamed> {
  let spent = NO_USAGE;
  for (let retry = 0; ; retry++) {
    const attempt = stepAttempt(input.claimAttempt, input.retriesBefore + retry);
    const place = { ...input.place, attempt };
    if (input.retriesBefore + retry > 0)
      input.emit({ type: 'step_restarted', ...place, timestamp: new Date().toISOString() });
    const run = new AttemptRun(place, input);
    try {
      const answered = await consumeAdmitted(run, input);
      return {
        attempt,
        blocks: run.blocks,
        usage: addUsage(spent, run.usage),
        ended: 'answered',
        ...answered,
      };
    } catch (error) {
      run.finish();
      spent = addUsage(spent, run.usage);
      const broken = { attempt, blocks: run.blocks, usage: spent };
      if (input.signal.aborted) return { ...broken, ended: 'aborted' };
      if (!(error instanceof ModelError)) throw error;
      const delayMs = backOffMs(retry, error.options.retryAfterMs);
      if (error.kind === 'rate_limited') input.onRefusal(input.request.model, delayMs);
      if (!error.options.retryable || retry >= retriesAfter(error, input))
        return { ...broken, ended: 'failed', error };
      input.onRetry(error);
      emitWaiting(input, error.message, delayMs);
      await abortableDelay(delayMs, input.signal);
      if (input.signal.aborted) return { ...broken, ended: 'aborted' };
    }
  }
}

/** A shorter wait is worth the cache of the model that has read the conversation. */
const PATIENCE_MS = 2_000;
const WAITS_FOR: Record<ShortOf, string> = {
  requests: 'The budget of requests to the model is used up for now.',
  tokens: 'The budget of tokens for the model is used up for now.',
  streams: 'As many answers as allowed are being written at once.',
  provider: 'The model’s provider wants fewer requests.',
};

async function consumeAdmitted(run: AttemptRun, input: StreamStep): ReturnType<AttemptRun['consume']> {
  const permit = await admit(input);
  try {
    return await run.consume();
  } finally {
    permit.done(run.usage);
  }
}

/** Waits for the shared budget; where another model can be asked, a longer wait counts as overload. */
async function admit(input: StreamStep): Promise<Permit> {
  const impatience = new AbortController();
  return input.admit(input.request, {
    signal: AbortSignal.any([input.signal, impatience.signal]),
    onWait: ({ shortOf, waitMs }) => {
      // Later: who lets requests in is in the middle of looking through them.
      if (input.canGiveUp && waitMs > PATIENCE_MS)
        queueMicrotask(() => impatience.abort(new NoBudgetError(WAITS_FOR[shortOf])));
      else emitWaiting(input, WAITS_FOR[shortOf], waitMs);
    },
  });
}

/** The shared budget of a model has no room, and another model can be asked. */
class NoBudgetError extends ModelError {
  constructor(reason: string) {
    super(reason, 'overloaded', { retryable: true });
  }
}

function retriesAfter(error: ModelError, input: StreamStep): number {
  const { maxRetries, overloadRetries, canGiveUp } = input;
  if (error instanceof NoBudgetError) return 0;
  const isOverload =
    error.kind === 'overloaded' || error.kind === 'rate_limited' || error.options.status === 503;
  if (!canGiveUp || !isOverload) return maxRetries;
  const { retryAfterMs = 0 } = error.options;
  return retryAfterMs > PATIENCE_MS ? 0 : Math.min(maxRetries, overloadRetries);
}

/** One attempt: parts in, tokens out, blocks kept. */
class AttemptRun {
  readonly blocks: Block[] = [];
  /** Undefined until the provider has told something. */
  usage: Usage | undefined;
  private readonly asked: AskedCall[] = [];
  private readonly tokens: TokenStream;
  private readonly thinking: TokenStream;

  constructor(
    place: StepPlace,
    private readonly input: StreamStep,
  ) {
    this.tokens = new TokenStream('token', place, input.emit);
    this.thinking = new TokenStream('thinking', place, input.emit);
    const { tokens } = this;
    input.onAttempt({
      attempt: place.attempt,
      get text() {
        return tokens.text;
      },
    });
  }

  async consume(): Promise<{ asked: AskedCall[]; stopReason: StopReason }> {
    for await (const part of this.input.model.stream(this.input.request, this.input.signal)) {
      if (this.input.signal.aborted) throw this.input.signal.reason;
      if (part.type === 'end') {
        this.finish();
        this.usage = part.usage;
        return { asked: this.asked, stopReason: part.stop_reason };
      }
      this.take(part);
      if (part.type === 'text') await faultPoint('token_streamed');
    }
    throw new ModelError('The model’s answer broke off.', 'network', { retryable: true });
  }

  /** Sends what the coalescer still holds. */
  finish(): void {
    this.tokens.end();
    this.thinking.end();
  }

  private take(part: Exclude<ModelPart, { type: 'end' }>): void {
    switch (part.type) {
      case 'text':
        return this.takeText(part.text);
      case 'thinking':
        return this.thinking.push(part.text);
      case 'thinking_end': {
        const { text, signature, data, model } = part;
        this.blocks.push({ type: 'thinking', text, signature, data, model });
        return;
      }
      case 'tool_call':
        return this.takeCall(part);
      case 'usage':
        this.usage = part.usage;
    }
  }

  private takeText(text: string): void {
    if (text === '') return;
    const last = this.blocks.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.blocks.push({ type: 'text', text });
    this.tokens.push(text);
  }

  private takeCall(part: Extract<ModelPart, { type: 'tool_call' }>): void {
    const tool_call_id = newToolCallId();
    const { name, raw } = part;
    this.asked.push({ tool_call_id, name, arguments: part.arguments, raw });
    this.blocks.push({
      type: 'tool_use',
      tool_call_id,
      name: sayableName(name),
      arguments: part.arguments ?? {},
    });
  }
}

/** 0.5, 1, 2, 4, 8 s with jitter; what the provider asked for wins, up to a minute. */
function backOffMs(retry: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, 60_000);
  return Math.round(500 * 2 ** retry * (0.75 + Math.random() / 2));
}
