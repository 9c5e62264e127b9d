import type { Block, StopReason, Usage } from '#contracts';
import { ModelError, type ModelRequest } from '#llm';
import { backOffMs, timestampOf, type Random } from '#time';
import { addUsage, NO_USAGE, stepAttempt } from '#turn';
import type { Permit } from '../admission/model-admission.js';
import type { ShortOf, Shortage } from '../admission/shared-budget.js';
import { AttemptRun, type AskedCall, type AttemptInput } from './attempt-run.js';
import { emitWaiting } from './emit-waiting.js';
import type { StepPlace } from './token-stream.js';

/**
 * What one model call came to. `attempt` is the one whose tokens viewers have; `usage` is that of all attempts,
 * estimated where the provider has not told it.
 */
export type Streamed = { attempt: number; blocks: Block[]; usage: Usage } & (
  | { ended: 'answered'; asked: AskedCall[]; stopReason: StopReason }
  | { ended: 'failed'; error: ModelError }
  /** The signal was aborted: Stop, or somebody else drives now. */
  | { ended: 'aborted' }
);

export interface StreamStep extends AttemptInput {
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
  /** Waits until the request may be sent; rejects with the signal's reason. */
  admit: (
    request: ModelRequest,
    asked: { signal: AbortSignal; onWait: (shortage: Shortage) => void },
  ) => Promise<Permit>;
  onRetry: (error: ModelError) => void;
  /** The provider wants fewer requests: none for so long. */
  onRefusal: (model: string, retryAfterMs: number) => void;
}

/**
 * One model call with its retries: retryable errors, also in the middle of the stream, start the step again after
 * a back-off (`retry-after` wins), with `waiting` and `step_restarted` so that viewers drop the partial text.
 */
export async function streamStep(input: StreamStep): Promise<Streamed> {
  const { clock, random } = input;
  let spent = NO_USAGE;
  for (let retry = 0; ; retry++) {
    const attempt = stepAttempt(input.claimAttempt, input.retriesBefore + retry);
    const place = { ...input.place, attempt };
    if (input.retriesBefore + retry > 0)
      input.emit({ type: 'step_restarted', ...place, timestamp: timestampOf(clock) });
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
      const delayMs = delayBefore(retry, error.options.retryAfterMs, random);
      if (error.kind === 'rate_limited') input.onRefusal(input.request.model, delayMs);
      if (!error.options.retryable || retry >= retriesAfter(error, input))
        return { ...broken, ended: 'failed', error };
      input.onRetry(error);
      emitWaiting(input.clock, input, error.message, delayMs);
      await clock.sleep(delayMs, input.signal).catch(() => undefined);
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
        input.clock.soon(() => impatience.abort(new NoBudgetError(WAITS_FOR[shortOf])));
      else emitWaiting(input.clock, input, WAITS_FOR[shortOf], waitMs);
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

const BACK_OFF = { firstMs: 700, longestMs: 60_000 };

/** 0.7, 1.4, 2.8 s and so on, less up to half of it; what the provider asked for wins, up to a minute. */
function delayBefore(retry: number, retryAfterMs: number | undefined, random: Random): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, 60_000);
  return Math.round(backOffMs(retry, BACK_OFF, random));
}
