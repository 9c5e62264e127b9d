import type { ToolCallBody } from '#contracts';
import { auditedCall } from '#journal';
import type { WorkerCall } from '#ledger';
import { displayName } from '#tools';
import type { HostedTool } from '../offer/hosted-tools.js';
import type { Sent } from './active-call.js';

/** A call for a tool of this worker, with what viewers and auditors see of it. */
export function toWorkerCall(
  { definition, host }: HostedTool,
  body: ToolCallBody,
  { traceparent }: Sent,
): WorkerCall {
  const { name: toolset, source, server } = host;
  const { version } = definition;
  const display_name = displayName({ own_name: definition.own_name, toolset, source, server }, []);
  const audited = auditedCall(body.user_id, body.arguments, { version, traceparent });
  const label = { tool_name: definition.name, display_name, source, approval: 'none' as const, audited };
  return { body, label, traceparent };
}
