import type { Block, StopReason, Usage } from '#contracts';
import type { ModelError } from '#llm';

/** A call as the model asked for it; `arguments` is undefined when they were not a JSON object. */
export interface AskedCall {
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown> | undefined;
  raw: string;
}

/** How an attempt ends, and with the last one the step. */
export type AskEnd =
  | { ended: 'answered'; stopReason: StopReason }
  | { ended: 'failed'; error: ModelError }
  /** The signal was aborted: Stop, or another process drives now. */
  | { ended: 'aborted' };

/** What happens while models are asked for a step, in order. Exactly one `end` or `refused` is last. */
export type StepPart =
  /** An attempt begins; with `isRestart` nothing that earlier ones of the step wrote counts any more. */
  | { type: 'attempt'; attempt: number; model: string; isRestart: boolean }
  | { type: 'waiting'; reason: string; retryAfterMs: number }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'thinking_end'; block: Extract<Block, { type: 'thinking' }> }
  | { type: 'call'; call: AskedCall }
  /** The attempt is over, whatever came of it; estimated where the provider has not reported it. */
  | { type: 'usage'; model: string; usage: Usage }
  /** The same model is asked again after a wait. */
  | { type: 'retry'; kind: ModelError['kind'] }
  /** `model` is asked instead of the one that failed with `reason`. */
  | { type: 'fallback'; model: string; reason: string }
  | ({ type: 'end' } & AskEnd)
  /** No model was asked. */
  | { type: 'refused'; attempt: number; error: ModelError };
