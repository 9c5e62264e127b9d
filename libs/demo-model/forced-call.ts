import type { ModelMessage, ModelRequest, ModelTool } from '#llm';
import { fillSchema } from './fill-schema.js';
import { followPlan } from './follow-plan.js';
import { planCalls } from './plan-calls.js';
import { readTurn } from './read-turn.js';
import type { Reply } from './reply.js';

/**
 * The call that the request forces: with the arguments that the question asks for, else with what was said last, put
 * where the tool's schema has room for it. Undefined when nothing is forced.
 */
export function forcedCall({ tool_choice, tools, messages }: ModelRequest): Reply | undefined {
  const tool = tools.find(({ name }) => name === tool_choice?.name);
  if (!tool) return undefined;
  const args = askedArguments(tool, tools, messages) ?? fillSchema(tool.input_schema, lastSaid(messages));
  return { text: '', calls: [{ name: tool.name, arguments: args }] };
}

function askedArguments(
  { name }: ModelTool,
  tools: ModelTool[],
  messages: ModelMessage[],
): Record<string, unknown> | undefined {
  const { calls } = followPlan(planCalls(readTurn(messages).question, tools), []);
  return calls.find((call) => call.name === name)?.arguments;
}

function lastSaid(messages: ModelMessage[]): string {
  const texts = (role: ModelMessage['role']) =>
    messages.flatMap((message) =>
      message.role === role
        ? message.content.flatMap((item) => (item.type === 'text' ? [item.text] : []))
        : [],
    );
  return texts('assistant').at(-1) ?? texts('user').at(-1) ?? '';
}
