import type { CallView, TurnView } from '#contracts';
import { serverToolName } from '../identity/server-tool-name.js';
import type { TurnNews } from '../stream/turn-stream.js';
import { chunkText } from './chunk-text.js';
import { finalTextOf, RESTARTING, statusOf, failureReason } from './turn-end.js';

const MAX_CHUNK_LENGTH = 64;
const MAX_ERROR_LENGTH = 500;

/** Writes a turn as the events of `/chat/stream`. Each string is one event, to be written at once. */
export function chatEventsOf(news: TurnNews): string[] {
  if (news.type === 'step_committed') return news.step.calls.map(startOfCall);
  if (news.type === 'call_ended') return [endOfCall(news.call)];
  if (news.type === 'turn_ended') return endOf(news.turn);
  return news.type === 'gateway_stopping' ? [toErrorEvent(RESTARTING)] : [];
}

/** The last event of a failed stream. */
export function toErrorEvent(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const [start = ''] = chunkText(line, MAX_ERROR_LENGTH);
  return `data: [ERROR] ${start.trimEnd()}\n\n`;
}

function startOfCall(call: CallView): string {
  return toEvent({ ...named('tool_start', call), args: call.args });
}

function endOfCall(call: CallView): string {
  return toEvent({ ...named('tool_end', call), status: statusOf(call) });
}

function named(type: 'tool_start' | 'tool_end', call: CallView) {
  return { type, id: call.tool_call_id, name: serverToolName(call) };
}

/** Only here is it certain which text is the answer: a step without calls may be a pause of the model. */
function endOf(turn: TurnView): string[] {
  const reason = failureReason(turn);
  if (reason !== undefined) return [toErrorEvent(reason)];
  const chunks = chunkText(finalTextOf(turn), MAX_CHUNK_LENGTH);
  return [...chunks.map((content) => toEvent({ type: 'text', content })), 'data: [DONE]\n\n'];
}

/** Some clients end a line at every Unicode line separator. */
function toEvent(event: object): string {
  const json = JSON.stringify(event).replace(/[\u0085\u2028\u2029]/g, escaped);
  return `data: ${json}\n\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
