import type { ToolResult } from '#contracts';
import { limitTime, settledWithin, SystemClock, timestampOf } from '#time';
import { makeArtifact, referenceTo } from './make-artifact.js';
import type { Tool, ToolContext } from './tool.port.js';
import { failure, toFailure, toToolResult } from './tool-result.js';
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
 * error becomes the failure that the model gets, `output_problem` says how a result breaks its output schema, and a tool
 * that does not end within its timeout fails, whether or not it obeys its signal. Signs of progress give it no more time.
 */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const error = await validator.validate(tool.definition.input_schema, args);
  if (error) return { status: 'failure', data: null, error };
  try {
    const limit = limitTime(clock, tool.definition.timeout_ms);
    const run = async () => toToolResult(await tool.run(args, { ...aCall(tool, limit), ...context }));
    const result = await inTime(tool, limit, run());
    const { output_schema } = tool.definition;
    const verdict = await checkOutput(outputs, { source: 'local', output_schema }, result, PLACE.user_id);
    return typeof verdict === 'object' ? { ...result, output_problem: verdict.problem } : result;
  } catch (thrown) {
    return toFailure(thrown);
  }
}

/** Resolves with a failure when the tool's time is over. */
async function inTime(
  { definition: { timeout_ms: limit_ms } }: Tool,
  limit: AbortSignal,
  running: Promise<ToolResult>,
): Promise<ToolResult> {
  if ((await settledWithin(clock, running, limit_ms)) && !limit.aborted) return running;
  return failure('TimeoutError', `No answer within ${limit_ms} ms.`, { limit_ms, may_still_run: true });
}

function aCall({ definition }: Tool, signal: AbortSignal): ToolContext {
  return {
    toolCallId: PLACE.tool_call_id,
    turnId: PLACE.turn_id,
    conversationId: PLACE.conversation_id,
    userId: PLACE.user_id,
    attempt: 1,
    signal,
    deadline: clock.wall() + definition.timeout_ms,
    wantsLogs: false,
    progress: () => undefined,
    attach: async (attachment) => referenceTo(makeArtifact(PLACE, attachment, timestampOf(clock))),
    ask: () => Promise.reject(new Error('No one can answer this question: pass `ask` to runTool.')),
  };
}
