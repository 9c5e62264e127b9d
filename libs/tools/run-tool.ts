import type { ToolResult } from '#contracts';
import { limitTime, SystemClock, timestampOf } from '#time';
import { makeArtifact, referenceTo } from './make-artifact.js';
import type { Tool, ToolContext } from './tool.port.js';
import { toFailure, toToolResult } from './tool-result.js';
import { ThreadedChecks } from './threaded-checks.js';
import { checkOutput } from './validate-output.js';
import { SchemaChecks } from './schema-checks.js';
import { ArgumentValidator } from './validate-arguments.js';

/** Tool authors test with the machine's clock. */
const clock = new SystemClock();
const slowChecks = new ThreadedChecks({ clock });
const outputs = new SchemaChecks({ slowChecks });
const validator = new ArgumentValidator({
  slowChecks,
  refusals: { note: () => undefined },
});

const PLACE = {
  user_id: 'user-1',
  conversation_id: 'conversation-1',
  turn_id: 'turn-1',
  tool_call_id: 'call_0123456789abcdefghijkl',
};

/**
 * Runs a tool as a worker does, for the tests of tool authors: the arguments are checked against its schema, a thrown
 * error becomes the failure that the model gets, and `output_problem` says how a result breaks its output schema.
 */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const error = await validator.validate(tool.definition.input_schema, args);
  if (error) return { status: 'failure', data: null, error };
  try {
    const result = toToolResult(await tool.run(args, { ...aCall(tool), ...context }));
    const { output_schema } = tool.definition;
    const verdict = await checkOutput(outputs, { source: 'local', output_schema }, result, PLACE.user_id);
    return typeof verdict === 'object' ? { ...result, output_problem: verdict.problem } : result;
  } catch (thrown) {
    return toFailure(thrown);
  }
}

function aCall({ definition }: Tool): ToolContext {
  return {
    toolCallId: PLACE.tool_call_id,
    turnId: PLACE.turn_id,
    conversationId: PLACE.conversation_id,
    userId: PLACE.user_id,
    attempt: 1,
    signal: limitTime(clock, definition.timeout_ms),
    deadline: clock.wall() + definition.timeout_ms,
    wantsLogs: false,
    progress: () => undefined,
    attach: async (attachment) => referenceTo(makeArtifact(PLACE, attachment, timestampOf(clock))),
    ask: () => Promise.reject(new Error('No one can answer this question: pass `ask` to runTool.')),
  };
}
