import type { ToolResult } from '#contracts';
import type { CallLedger, Ran, WorkerCall } from '#ledger';
import { failure } from '#tools';
import { toolsetOf } from '#turn';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import type { CallPace } from './call-pace.js';

/** Ends calls, and counts them. */
export class CallEnds {
  constructor(
    private readonly ledger: Pick<CallLedger, 'settle' | 'refuseUnclaimed'>,
    private readonly metrics: Pick<ToolWorkerDeps['metrics'], 'toolCallDuration' | 'toolRateRefusals'>,
    private readonly pace: CallPace,
  ) {}

  async settle(call: WorkerCall, ran: Ran): Promise<void> {
    await this.ledger.settle(call, ran);
    const toolset = toolsetOf(call.body.tool_name);
    this.metrics.toolCallDuration.observe({ toolset }, ran.durationMs / 1_000);
    this.pace.ended(toolset);
  }

  /** False when another worker has claimed the call before: then no limit of this worker ends it. */
  async refuseForNow(call: WorkerCall, retryAfterMs: number): Promise<boolean> {
    const { tool_name } = call.body;
    const text = `Too many calls of ${tool_name} right now. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
    const result: ToolResult = failure('ApiLimitExceeded', text, {
      retry_after_ms: retryAfterMs,
      started: false,
    });
    const isRefused = await this.ledger.refuseUnclaimed(call, result);
    if (isRefused) this.metrics.toolRateRefusals.inc({ toolset: toolsetOf(tool_name) });
    return isRefused;
  }
}
