import type { ErrorDetail, ToolResult } from '#contracts';
import { noChangeNeeded, partialSuccess, success } from './tool-result.js';
import type { ToolError } from './tool.port.js';

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

/** `payload` is done and stays done; `why` is what went wrong with the rest. */
export function partly(payload: unknown, why: ToolError | ErrorDetail, explanation?: string): ToolAnswer {
  const error = 'detail' in why ? why.detail : why;
  return { [RESULT]: partialSuccess(payload, error, explanation) };
}

/** The result of what the code of a tool returned: an answer, or a payload. */
export function resultOf(returned: unknown): ToolResult {
  return isAnswer(returned) ? returned[RESULT] : success(returned);
}

function isAnswer(returned: unknown): returned is ToolAnswer {
  return typeof returned === 'object' && returned !== null && RESULT in returned;
}
