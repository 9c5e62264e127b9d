import type { Block, Journal, StopReason } from '#contracts';
import { canForceTool, type ModelRequest } from '#llm';
import { appendMessages, textOf, unreadableAnswers } from '#turn';
import type { WholeAnswer } from '../ask/model-answer.js';
import {
  FORMATTER_REQUEST,
  FORMATTER_TOOL,
  PLAIN_REQUEST,
  readAnswer,
  RESPONSE_FORMATTER,
} from './response-formatter.js';

/** The number of forced calls in all. If the last one cannot be read, the text of that step is the answer. */
const TRIES = 2;
const NOTHING_SAID = 'I could not write an answer.';

/**
 * A request in the loop of a turn with a formatter. A turn without tools needs no tool list only for the forced call.
 */
export function loopRequest(request: ModelRequest): ModelRequest {
  if (request.tools.length === 0 || !canForceTool(request.model)) return request;
  return { ...request, answer_tool: FORMATTER_TOOL };
}

/** The request for the final answer of a turn with a formatter, made from the request that would continue the loop. */
export function answerRequest(request: ModelRequest): ModelRequest {
  const isForced = canForceTool(request.model);
  const messages = request.messages.slice();
  const text = isForced ? FORMATTER_REQUEST : PLAIN_REQUEST;
  appendMessages(messages, [{ role: 'user', content: [{ type: 'text', text }] }]);
  if (!isForced) return { ...request, messages };
  // Listed after the tools of the loop, as in the loop's requests.
  const tools = [...request.tools, FORMATTER_TOOL];
  return { ...request, messages, tools, tool_choice: { name: RESPONSE_FORMATTER } };
}

export interface FinalAnswer {
  blocks: Block[];
  /** As in the step's row. */
  final: boolean;
  stop_reason: StopReason;
}

/** The model's answer to `answerRequest`. None of its calls is kept, so none stays unanswered. */
export function finalAnswer(
  { asked, blocks, stopReason }: WholeAnswer,
  { steps }: Pick<Journal, 'steps'>,
): FinalAnswer {
  // No more calls are requested, whatever the stop reason.
  const stop_reason = stopReason === 'max_tokens' ? stopReason : 'end_turn';
  const call = asked.find(({ name }) => name === RESPONSE_FORMATTER);
  const read = call ? readAnswer(call.arguments) : undefined;
  if (read) return { blocks: read, final: true, stop_reason };
  const spoken = blocks.filter(({ type }) => type === 'text');
  if (!call && textOf({ blocks: spoken }).trim() !== '') return { blocks: spoken, final: true, stop_reason };
  if (unreadableAnswers(steps) + 1 < TRIES) return { blocks: [], final: false, stop_reason };
  const said = steps.findLast((step) => step.kind === 'model' && textOf(step).trim() !== '');
  return { blocks: [{ type: 'text', text: said ? textOf(said) : NOTHING_SAID }], final: true, stop_reason };
}

/**
 * Whether a step of the loop already is the answer that would be forced next: one call of the formatter and nothing
 * else.
 */
export function isEarlyAnswer({ asked, stopReason }: WholeAnswer, { turn }: Pick<Journal, 'turn'>): boolean {
  const [call] = asked;
  return (
    turn.options.formatter === true &&
    asked.length === 1 &&
    call!.name === RESPONSE_FORMATTER &&
    stopReason !== 'max_tokens' &&
    readAnswer(call!.arguments) !== undefined
  );
}

/** Whether a step without calls already is the answer, because its model cannot be forced to write another. */
export function isAnswerAlready(journal: Pick<Journal, 'turn'>, model: string): boolean {
  return journal.turn.options.formatter === true && !canForceTool(model);
}
