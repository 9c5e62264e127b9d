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

/** Forced calls in all; the last step's text takes the place of one that cannot be read. */
const TRIES = 2;
const NOTHING_SAID = 'I could not write an answer.';

/** A request of the loop of a turn with a formatter. Who has no tools needs no list for the forced call's sake. */
export function loopRequest(request: ModelRequest): ModelRequest {
  if (request.tools.length === 0 || !canForceTool(request.model)) return request;
  return { ...request, answer_tool: FORMATTER_TOOL };
}

/** The request for the answer of a turn with a formatter, made of the one that would go on with its loop. */
export function answerRequest(request: ModelRequest): ModelRequest {
  const isForced = canForceTool(request.model);
  const messages = request.messages.slice();
  const text = isForced ? FORMATTER_REQUEST : PLAIN_REQUEST;
  appendMessages(messages, [{ role: 'user', content: [{ type: 'text', text }] }]);
  if (!isForced) return { ...request, messages };
  // Behind those of the loop, whatever its name: as the requests of the loop list it.
  const tools = [...request.tools, FORMATTER_TOOL];
  return { ...request, messages, tools, tool_choice: { name: RESPONSE_FORMATTER } };
}

export interface FinalAnswer {
  blocks: Block[];
  /** As in the step's row. */
  final: boolean;
  stop_reason: StopReason;
}

/** What the model answered to `answerRequest`: no call of it is kept, so none stays unanswered. */
export function finalAnswer(
  { asked, blocks, stopReason }: WholeAnswer,
  { steps }: Pick<Journal, 'steps'>,
): FinalAnswer {
  // Nothing is asked for any more, whatever it stopped for.
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

/** Whether a step of the loop is the answer that would be forced next: one call of the formatter, and nothing else. */
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

/** Whether the loop's step without calls is the answer already: its model cannot be forced to write another. */
export function isAnswerAlready(journal: Pick<Journal, 'turn'>, model: string): boolean {
  return journal.turn.options.formatter === true && !canForceTool(model);
}
