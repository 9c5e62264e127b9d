import type { FaultPoint } from '#faults';
import type { Model, ModelError, ModelRequest } from '#llm';
import { backOffMs, type Random, type Time } from '#time';
import type { ChatSpan } from './chat-span.js';
import { NoBudgetError, PATIENCE_MS, type Admission } from './wait-for-permit.js';

/** The rules by which a step asks its models. */
export interface AskPolicy extends Time {
  faultPoint: FaultPoint;
  model: Model;
  /** Undefined: no provider is asked, so nothing is waited for or counted. */
  admission: Admission | undefined;
  /** Called when a request is sent to a provider. */
  startChat: (request: ModelRequest) => ChatSpan;
  /** The attempt of the claim by which the turn is driven. Attempts of the step are numbered within it. */
  claimAttempt: number;
  /** Attempts of the step that viewers have already seen. */
  retriesBefore: number;
  /** Retries after the first request. */
  maxRetries: number;
  /** Retries of an overloaded model when another one can be asked. */
  overloadRetries: number;
}

/** How often the request is repeated after this error. */
export function retriesAfter(
  error: ModelError,
  { maxRetries, overloadRetries, canGiveUp }: AskPolicy & { canGiveUp: boolean },
): number {
  if (!error.options.retryable || error instanceof NoBudgetError) return 0;
  const isOverload =
    error.kind === 'overloaded' || error.kind === 'rate_limited' || error.options.status === 503;
  if (!canGiveUp || !isOverload) return maxRetries;
  const { retryAfterMs = 0 } = error.options;
  return retryAfterMs > PATIENCE_MS ? 0 : Math.min(maxRetries, overloadRetries);
}

/** False for a request that is refused because of its content. */
export function mayFallBack({ kind, options }: ModelError): boolean {
  return options.retryable || kind === 'used_up';
}

const BACK_OFF = { firstMs: 700, longestMs: 60_000 };

/**
 * 0.7, 1.4, 2.8 s and so on, reduced by up to half. A delay that the provider asked for takes precedence, up to a
 * minute.
 */
export function delayBefore(retry: number, retryAfterMs: number | undefined, random: Random): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, 60_000);
  return Math.round(backOffMs(retry, BACK_OFF, random));
}
