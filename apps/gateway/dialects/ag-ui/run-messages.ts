import { plainText, type Call, type Journal, type Step, type Turn } from '#contracts';
import { isReplaced, outcomeOf, textOf } from '#turn';
import type { AgUiMessage, ToolCallPart } from './ag-ui-event.js';

/** The id of a step's message: the step's own id. */
export function stepMessageId(turnId: string, step: number): string {
  return `${turnId}:${step}`;
}

/** The id of a call's result. */
export function resultMessageId(toolCallId: string): string {
  return `${toolCallId}:result`;
}

/** The user's message of a turn. */
export function questionOf({ _id: id, content }: Turn): AgUiMessage {
  return { id, role: 'user', content };
}

/** The result of a turn so far, as messages with the ids of its events. */
export function answersOf(journal: Journal): AgUiMessage[] {
  return journal.steps
    .filter((step) => step.kind !== 'summary' && !isReplaced(step, journal.steps))
    .flatMap((step) => [...said(step), ...step.calls.flatMap((call) => resultOf(journal, call))]);
}

function said(step: Step): AgUiMessage[] {
  const content = textOf(step);
  const toolCalls = step.calls.map(toToolCall);
  if (content === '' && toolCalls.length === 0) return [];
  const id = stepMessageId(step.turn_id, step.n);
  return [
    {
      id,
      role: 'assistant',
      ...(content ? { content } : {}),
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
    },
  ];
}

function toToolCall({ tool_call_id: id, tool_name: name, arguments: args }: Call): ToolCallPart {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function resultOf(journal: Journal, { tool_call_id }: Call): AgUiMessage[] {
  const outcome = outcomeOf(journal, tool_call_id);
  if (!outcome) return [];
  const content = plainText(outcome);
  const error = outcome.status === 'failure' ? { error: content } : {};
  return [{ id: resultMessageId(tool_call_id), role: 'tool', toolCallId: tool_call_id, content, ...error }];
}
