import type { Block, FailureCode, Journal, Step, Usage } from '#contracts';
import { stepRow } from '#journal';
import type { ModelError } from '#llm';
import type { Clock } from '#time';
import { DayBudgetExceeded } from '../admission/day-budgets.js';
import type { ModelAnswer } from '../ask/model-answer.js';

/** The text that viewers have seen, for `cancel` and `fail` rows. Calls that were never committed are left out. */
export function partialText(answer: Pick<ModelAnswer, 'blocks'> | undefined): Block[] {
  return (answer?.blocks ?? []).filter((block) => block.type === 'text' && block.text.trim() !== '');
}

/** The usage for a row without an answer; null if nothing is known. */
export function usageOf(answer: Pick<ModelAnswer, 'usage'> | undefined): Usage | null {
  const { usage } = answer ?? {};
  return usage && usage.input_tokens + usage.output_tokens > 0 ? usage : null;
}

export function failureCodeOf(error: ModelError): FailureCode {
  if (error instanceof DayBudgetExceeded) return 'budget_exceeded';
  return error.kind === 'context_overflow' ? 'context_overflow' : 'model_error';
}

export function failRow(
  by: { clock: Pick<Clock, 'wall'> },
  journal: Pick<Journal, 'turn'>,
  n: number,
  error: { code: FailureCode; message: string },
  answer?: Pick<ModelAnswer, 'blocks' | 'attempt' | 'usage'>,
): Step {
  return stepRow(by, journal, n, {
    kind: 'fail',
    attempt: answer?.attempt ?? 0,
    blocks: partialText(answer),
    usage: usageOf(answer),
    error,
  });
}
