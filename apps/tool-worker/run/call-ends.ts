import type { Message, Outcome, ToolCallBody, ToolResult, ToolResultBody } from '#contracts';
import { completeResult, encodeMessage, isWithinDepth, MAX_MESSAGE_BYTES, newMessage } from '#contracts';
import { settle, type CallLabel, type Ports } from '#journal';
import type { DeliveryOutcome } from '#messaging';
import { failure } from '#tools';
import type { Time } from '#time';
import { toolsetOf } from '#turn';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import { outcomeRow, refuse, refuseUnclaimed } from './call-claims.js';
import type { CallPace } from './call-pace.js';

/** Ends calls: settles or refuses them, counts them, and tells the orchestrator that drives the turn. */
export class CallEnds {
  constructor(
    private readonly ports: Ports,
    private readonly metrics: ToolWorkerDeps['metrics'],
    private readonly pace: CallPace,
  ) {}

  /** `traceparent`: of the run that ended. */
  async settle(
    body: ToolCallBody,
    label: CallLabel,
    outcome: Outcome,
    traceparent?: string,
  ): Promise<DeliveryOutcome> {
    const stands = await settle(this.ports, label, outcome);
    const toolset = toolsetOf(body.tool_name);
    this.metrics.toolCallDuration.observe({ toolset }, outcome.duration_ms / 1_000);
    this.pace.ended(toolset);
    return this.hint(body, stands, traceparent);
  }

  /** Undefined when a worker has claimed the call to run it. */
  refuse(body: ToolCallBody, label: CallLabel, result: ToolResult): Promise<DeliveryOutcome | undefined> {
    return this.refuseBy((refusal) => refuse(this.ports, body, label, refusal), body, result);
  }

  /** Undefined when another worker has claimed the call before: then no limit of this worker ends it. */
  refuseForNow(
    body: ToolCallBody,
    label: CallLabel,
    retryAfterMs: number,
  ): Promise<DeliveryOutcome | undefined> {
    const text = `Too many calls of ${body.tool_name} right now. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
    const result = failure('ApiLimitExceeded', text, { retry_after_ms: retryAfterMs, started: false });
    const settleUnclaimed = async (refusal: Outcome) => {
      const outcome = await refuseUnclaimed(this.ports, label, refusal);
      if (outcome) this.metrics.toolRateRefusals.inc({ toolset: toolsetOf(body.tool_name) });
      return outcome;
    };
    return this.refuseBy(settleUnclaimed, body, result);
  }

  /** Undefined when another worker has claimed the call before. */
  refuseUnclaimed(
    body: ToolCallBody,
    label: CallLabel,
    result: ToolResult,
  ): Promise<DeliveryOutcome | undefined> {
    return this.refuseBy((refusal) => refuseUnclaimed(this.ports, label, refusal), body, result);
  }

  /** To the orchestrator that dispatched the call, or to any other if it is gone. */
  async hint(body: ToolCallBody, outcome: Outcome, traceparent?: string): Promise<DeliveryOutcome> {
    const { duration_ms, worker } = outcome;
    const { tool_call_id, turn_id } = body;
    const result = { tool_call_id, turn_id, ...completeResult(outcome), duration_ms, worker };
    const message = sendable(this.ports, result, traceparent);
    const sent = await this.ports.bus.send(body.reply_to, message);
    if (sent !== 'confirmed') await this.ports.bus.publish('results', message);
    await this.ports.faultPoint('result_hinted');
    return 'ack';
  }

  private async refuseBy(
    settleRefusal: (refusal: Outcome) => Promise<Outcome | undefined>,
    body: ToolCallBody,
    result: ToolResult,
  ): Promise<DeliveryOutcome | undefined> {
    const outcome = await settleRefusal(outcomeRow(this.ports, body, { attempt: 0, durationMs: 0 }, result));
    return outcome && this.hint(body, outcome);
  }
}

/** The stored row is the result. If the message would be too large to be read, only the hint is sent. */
function sendable(sender: Time, body: ToolResultBody, traceparent: string | undefined): Message {
  const withBody = (sent: ToolResultBody) => newMessage(sender, 'tool.result', sent, traceparent);
  const message = withBody(body);
  if (encodeMessage(message).byteLength <= MAX_MESSAGE_BYTES && isWithinDepth(message)) return message;
  const { tool_call_id, turn_id, duration_ms, worker, error } = body;
  const hint = { tool_call_id, turn_id, duration_ms, worker };
  if (!error) return withBody({ ...hint, status: 'success', data: null });
  const { error_type } = error;
  return withBody({ ...hint, status: 'failure', error: { error_type, error_message: error_type } });
}
