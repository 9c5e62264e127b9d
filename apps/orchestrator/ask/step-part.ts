import type { Block, StopReason, Usage } from '#contracts';
import type { ModelError } from '#llm';

/** A call as the model requested it. `arguments` is undefined if they were not a JSON object. */
export interface AskedCall {
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown> | undefined;
  raw: string;
}

/** The end of an attempt; the end of the last attempt is the end of the step. */
export type AskEnd =
  | { ended: 'answered'; stopReason: StopReason }
  | { ended: 'failed'; error: ModelError }
  /** The signal was aborted: by a Stop, or because another process drives the turn now. */
  | { ended: 'aborted' };

/** A request that reached a provider, as metrics see it. */
export interface SentRequest {
  outcome: 'ok' | 'aborted' | ModelError['kind'];
  /** Milliseconds from the request to the first part of its answer; undefined if none came. */
  firstPartMs?: number;
}

/** The events of asking models for a step, in order. Exactly one `end` or `refused` comes, as the last part. */
export type StepPart =
  /** An attempt begins. With `isRestart`, everything that earlier attempts of the step wrote is void. */
  | { type: 'attempt'; attempt: number; model: string; isRestart: boolean }
  | { type: 'waiting'; reason: string; retryAfterMs: number }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'thinking_end'; block: Extract<Block, { type: 'thinking' }> }
  | { type: 'call'; call: AskedCall }
  /**
   * The attempt is over, whatever its result. The usage is estimated if the provider did not report it. `sent` is
   * undefined if no provider was asked.
   */
  | { type: 'usage'; model: string; usage: Usage; sent?: SentRequest }
  /** The same model is asked again after a wait. */
  | { type: 'retry'; model: string; kind: ModelError['kind'] }
  /** `model` is asked instead of the one that failed with `reason`. */
  | { type: 'fallback'; model: string; reason: string }
  | ({ type: 'end' } & AskEnd)
  /** No model was asked. */
  | { type: 'refused'; attempt: number; error: ModelError };
