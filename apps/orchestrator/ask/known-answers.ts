import type { Journal, TurnOptions } from '#contracts';
import type { Model, ModelPart } from '#llm';
import { toModelName } from '#tools';
import { NO_USAGE } from '#turn';

/** Answers in place of the model in a turn whose answer is known in advance. Undefined when a provider is asked. */
export function knownAnswer({ turn, steps }: Pick<Journal, 'turn' | 'steps'>): Model | undefined {
  const { call, answer } = turn.options;
  if (answer !== undefined) return importedAnswer(answer);
  return call && directCall(call, steps.length > 0);
}

/** Answers an imported turn whose importer died before it committed the step. */
function importedAnswer(text: string): Model {
  return {
    async *stream(): AsyncIterable<ModelPart> {
      if (text !== '') yield { type: 'text', text };
      yield { type: 'end', stop_reason: 'end_turn', usage: NO_USAGE };
    },
  };
}

/** Answers a turn that is a single call: asks for the call, and writes nothing more once it has ended. */
function directCall(call: NonNullable<TurnOptions['call']>, isAsked: boolean): Model {
  const name = toModelName(call.tool_name);
  return {
    async *stream(): AsyncIterable<ModelPart> {
      if (!isAsked) yield { type: 'tool_call', name, arguments: call.arguments, raw: '' };
      yield { type: 'end', stop_reason: isAsked ? 'end_turn' : 'tool_use', usage: NO_USAGE };
    },
  };
}
