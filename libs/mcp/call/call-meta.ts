import type { ToolContext } from '#tools';

/** Lets a `keyed` tool recognise a call that it has run before, and any tool continue the trace. */
export function metaOf({ toolCallId, attempt, traceparent }: ToolContext): Record<string, unknown> {
  return {
    'switchyard/tool_call_id': toolCallId,
    'switchyard/attempt': attempt,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
