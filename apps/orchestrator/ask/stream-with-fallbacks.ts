import type { Usage } from '#contracts';
import type { ModelError, ModelRequest } from '#llm';
import { addUsage, NO_USAGE, stepAttempt } from '#turn';
import { emitWaiting } from './emit-waiting.js';
import { streamStep, type Streamed, type StreamStep } from './stream-step.js';

export interface StreamWithFallbacks extends Omit<StreamStep, 'request' | 'retriesBefore' | 'canGiveUp'> {
  /** At least one; the next one is asked when one gives up. */
  models: readonly string[];
  requestFor: (model: string) => ModelRequest;
  onFallback: (model: string) => void;
  /** What a model has used, whatever came of it. */
  onUsage: (model: string, usage: Usage) => void;
  /** Attempts of the step that viewers have seen already. */
  retriesBefore: number;
}

/** {@link streamStep}, by the first of several models that is not overloaded. `model` is the one asked last. */
export async function streamWithFallbacks(
  input: StreamWithFallbacks,
): Promise<{ model: string; streamed: Streamed }> {
  let { retriesBefore } = input;
  let spent = NO_USAGE;
  for (let i = 0; ; i++) {
    const model = input.models[i]!;
    const next = input.models[i + 1];
    const request = input.requestFor(model);
    const streamed = await streamStep({ ...input, request, retriesBefore, canGiveUp: next !== undefined });
    input.onUsage(model, streamed.usage);
    spent = addUsage(spent, streamed.usage);
    if (next === undefined || streamed.ended !== 'failed' || !mayPassElsewhere(streamed.error))
      return { model, streamed: { ...streamed, usage: spent } };
    retriesBefore = retriesUpTo(streamed, input.claimAttempt);
    emitWaiting(input.clock, input, `${asSentence(streamed.error.message)} Going on with ${next}.`, 0);
    input.onFallback(next);
  }
}

/** Providers' own words may end without a stop. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}

/** Not a request that is refused for what it is. */
function mayPassElsewhere({ kind, options }: ModelError): boolean {
  return options.retryable || kind === 'used_up';
}

/** How often the step has been tried, the attempt that has just ended included. */
export function retriesUpTo({ attempt }: Streamed, claimAttempt: number): number {
  return attempt - stepAttempt(claimAttempt, 0) + 1;
}
