import {
  completeResult,
  encodeMessage,
  isWithinDepth,
  MAX_MESSAGE_BYTES,
  newMessage,
  type Message,
  type Outcome,
  type ToolCallBody,
  type ToolResultBody,
} from '#contracts';
import type { Ports } from '#journal';
import type { Time } from '#time';

/** To the orchestrator that dispatched the call, or to any other if it is gone. */
export async function hintResult(
  ports: Ports,
  body: ToolCallBody,
  outcome: Outcome,
  traceparent?: string,
): Promise<void> {
  const { duration_ms, worker } = outcome;
  const { tool_call_id, turn_id } = body;
  const result = { tool_call_id, turn_id, ...completeResult(outcome), duration_ms, worker };
  const message = sendable(ports, result, traceparent);
  const sent = await ports.bus.send(body.reply_to, message);
  if (sent !== 'confirmed') await ports.bus.publish('results', message);
  await ports.faultPoint('result_hinted');
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
