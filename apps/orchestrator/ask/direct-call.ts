import type { TurnOptions } from '#contracts';
import type { Model, ModelPart } from '#llm';
import { toModelName } from '#tools';
import { NO_USAGE } from '#turn';

/** Stands for the model in a turn that is one call: asks for it, and says nothing more once it has ended. */
export function directCall(call: NonNullable<TurnOptions['call']>, isAsked: boolean): Model {
  const name = toModelName(call.tool_name);
  return {
    async *stream(): AsyncIterable<ModelPart> {
      if (!isAsked) yield { type: 'tool_call', name, arguments: call.arguments, raw: '' };
      yield { type: 'end', stop_reason: isAsked ? 'end_turn' : 'tool_use', usage: NO_USAGE };
    },
  };
}
