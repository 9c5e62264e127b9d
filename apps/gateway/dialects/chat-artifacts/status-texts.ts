import type { CallView } from '#contracts';
import { isThinkingTool } from '#turn';
import { serverToolName } from '../identity/server-tool-name.js';
import type { TurnChange } from '../stream/turn-changes.js';

const MAX_ERROR_LENGTH = 100;
const MAX_THOUGHT_LENGTH = 300;

/** The status texts of a call, in words that the front end knows. */
export function callTexts({
  type,
  call,
}: Extract<TurnChange, { type: 'call_started' | 'call_asks' | 'call_ended' }>): string[] {
  const name = serverToolName(call);
  switch (type) {
    case 'call_started':
      return [`Executing tool: ${name}...`, ...thoughtOf(call)];
    case 'call_asks':
      if (call.approvers)
        return [`Tool ${name}: Waits for somebody with the role ${call.approvers.join(' or ')}`];
      return [
        call.state === 'awaiting_approval'
          ? `Tool ${name}: Waits for somebody to allow it on Switchyard's own page`
          : `Tool ${name}: Waits for an answer on Switchyard's own page`,
      ];
    case 'call_ended':
      return [endText(name, call)];
  }
}

function endText(name: string, { state, error }: CallView): string {
  if (state === 'succeeded') return `Tool ${name}: Executed successfully`;
  const reason = (error?.error_message ?? 'The call did not finish.').replace(/\s+/g, ' ');
  return `Tool ${name}: Error occurred - ${reason.slice(0, MAX_ERROR_LENGTH)}...`;
}

function thoughtOf({ tool_name, args }: CallView): string[] {
  if (!isThinkingTool(tool_name) || typeof args.thought !== 'string') return [];
  const { thoughtNumber, totalThoughts } = args;
  const number = typeof thoughtNumber === 'number' ? ` ${thoughtNumber}` : '';
  const total = typeof totalThoughts === 'number' ? ` of ${totalThoughts}` : '';
  return [`Thought${number}${total}: ${args.thought.replace(/\s+/g, ' ').slice(0, MAX_THOUGHT_LENGTH)}`];
}
