import type { CallView, StepView, TurnView } from '#contracts';
import type { TurnNews } from '../turn-stream.js';

const MAX_ERROR_LENGTH = 500;
const MAX_CHUNK_LENGTH = 64;

/** What happens in a turn as the events of `/chat/stream`. One per stream. */
export class ChatEvents {
  /** Each string is one event, to be written at once. */
  next(news: TurnNews): string[] {
    if (news.type === 'call_started')
      return [toEvent({ type: 'tool_start', ...named(news.call), args: news.call.args })];
    if (news.type === 'call_ended') return [toEvent({ type: 'tool_end', ...named(news.call) })];
    if (news.type === 'step_committed')
      return finalText(news.step).map((content) => toEvent({ type: 'text', content }));
    if (news.type === 'turn_ended') return [endOf(news.turn)];
    if (news.type === 'gateway_stopping')
      return [toError('Server is restarting, the answer will be in the conversation')];
    return [];
  }
}

function named({ tool_call_id: id, tool_name, toolset }: CallView): { id: string; name: string } {
  return { id, name: tool_name.slice(toolset.length + 1) };
}

/** Only a step without calls is an answer. */
function finalText({ calls, text }: StepView): string[] {
  return calls.length > 0 ? [] : chunksOf(text);
}

function endOf({ status, error }: TurnView): string {
  if (status === 'completed') return 'data: [DONE]\n\n';
  return toError(status === 'cancelled' ? 'Stopped' : (error?.message ?? 'The turn failed.'));
}

function toError(text: string): string {
  return `data: [ERROR] ${text.replace(/\s+/g, ' ').slice(0, MAX_ERROR_LENGTH)}\n\n`;
}

function toEvent(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Cut between code points. */
function chunksOf(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${MAX_CHUNK_LENGTH / 2}}`, 'gu')) ?? [];
}
