import type { ModelRequest } from '#llm';
import { stepAttempt } from '#turn';
import { delayBefore, mayFallBack, retriesAfter, type AskPolicy } from './ask-policy.js';
import { runAttempt } from './attempt.js';
import type { AskEnd, StepPart } from './step-part.js';

/**
 * Asks several models in turn for a step; the first one that is not overloaded answers it.
 *
 * @param requests one for each model that may answer; the next one is sent when one gives up.
 */
export async function* ask(
  requests: readonly ModelRequest[],
  policy: AskPolicy,
  signal: AbortSignal,
): AsyncGenerator<StepPart, void> {
  let { retriesBefore } = policy;
  for (const [i, request] of requests.entries()) {
    const next = requests[i + 1];
    const asking = { ...policy, retriesBefore, canGiveUp: next !== undefined };
    const { end, retries } = yield* askWithRetries(request, asking, signal);
    if (next === undefined || end.ended !== 'failed' || !mayFallBack(end.error)) {
      yield { type: 'end', ...end };
      return;
    }
    retriesBefore = retries;
    yield { type: 'fallback', model: next.model, reason: end.error.message };
  }
}

/**
 * One model with its retries: retryable errors, also in the middle of the stream, start the step again after a
 * back-off (`retry-after` wins). `retries` is how often the step has been tried then.
 */
async function* askWithRetries(
  request: ModelRequest,
  policy: AskPolicy & { canGiveUp: boolean },
  signal: AbortSignal,
): AsyncGenerator<StepPart, { end: AskEnd; retries: number }> {
  const { clock, random, claimAttempt, retriesBefore, admission } = policy;
  const { model } = request;
  for (let retry = 0; ; retry++) {
    const tries = retriesBefore + retry;
    yield { type: 'attempt', attempt: stepAttempt(claimAttempt, tries), model, isRestart: tries > 0 };
    const end = yield* runAttempt(request, policy, signal);
    if (end.ended !== 'failed') return { end, retries: tries + 1 };
    const { error } = end;
    const delayMs = delayBefore(retry, error.options.retryAfterMs, random);
    if (error.kind === 'rate_limited') admission?.slowDown(model, delayMs);
    if (retry >= retriesAfter(error, policy)) return { end, retries: tries + 1 };
    yield { type: 'retry', model, kind: error.kind };
    yield { type: 'waiting', reason: error.message, retryAfterMs: delayMs };
    await clock.sleep(delayMs, signal).catch(() => undefined);
    if (signal.aborted) return { end: { ended: 'aborted' }, retries: tries + 1 };
  }
}
