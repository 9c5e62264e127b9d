import type { ErrorDetail, ToolResult } from '#contracts';
import { noChangeNeeded, partialSuccess, success, toFailure } from './tool-result.js';

/** Shared with other copies of this package, so that a tool may return what a library made. */
const RESULT = Symbol.for('switchyard.tool-answer');

/** What `run` of a tool returns in place of a payload, to say more than that it succeeded. */
export interface ToolAnswer {
  readonly [RESULT]: ToolResult;
}

/** Success, with a sentence for people beside the payload. */
export function explained(payload: unknown, explanation: string): ToolAnswer {
  return { [RESULT]: success(payload, explanation) };
}

/** Nothing had to be done; `explanation` says why. */
export function unchanged(explanation: string, payload?: unknown): ToolAnswer {
  return { [RESULT]: noChangeNeeded(explanation, payload) };
}

/** `payload` is done and stays done; `why` is what went wrong with the rest: what a tool may throw, or its detail. */
export function partly(payload: unknown, why: Error | ErrorDetail, explanation?: string): ToolAnswer {
  const error = why instanceof Error ? toFailure(why).error! : why;
  return { [RESULT]: partialSuccess(payload, error, explanation) };
}

/** The result of what the code of a tool returned: an answer, or a payload. */
export function resultOf(returned: unknown): ToolResult {
  return isAnswer(returned) ? returned[RESULT] : success(returned);
}

function isAnswer(returned: unknown): returned is ToolAnswer {
  return typeof returned === 'object' && returned !== null && RESULT in returned;
}
