import type { ToolCallBody, ToolResult } from '#contracts';
import { checkOutput, SchemaChecks, type InputSchemas, type SlowChecks } from '#tools';
import { toolsetOf } from '#turn';
import type { HostedTool } from '../offer/hosted-tools.js';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';

/** Notes on a result how it breaks its tool's output schema, and counts such results. */
export class OutputChecks {
  private readonly checks: SchemaChecks;

  constructor(
    options: { slowChecks: SlowChecks; schemas: InputSchemas },
    private readonly metrics: Pick<ToolWorkerDeps['metrics'], 'toolOutputProblems'>,
  ) {
    this.checks = new SchemaChecks(options);
  }

  /** Whole, before its output is cut. The result stays what it is, because its effect has happened. */
  async note({ definition, host }: HostedTool, body: ToolCallBody, result: ToolResult): Promise<ToolResult> {
    const tool = { source: host.source, output_schema: definition.output_schema };
    const verdict = await checkOutput(this.checks, tool, result, body.user_id);
    if (verdict === 'fits') return result;
    const kind = verdict === 'unchecked' ? 'unchecked' : 'broken';
    this.metrics.toolOutputProblems.inc({ toolset: toolsetOf(body.tool_name), kind });
    return verdict === 'unchecked' ? result : { ...result, output_problem: verdict.problem };
  }
}
