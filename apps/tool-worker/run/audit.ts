import { createHash } from 'node:crypto';
import type { Outcome, ToolCallBody } from '#contracts';
import type { Log } from '#journal';

export type AuditEvent = 'invoked' | 'refused' | 'late';

/** One record per invocation, refused ones too: who, what, how it ended; no values, no output. */
export function audit(log: Pick<Log, 'info'>, body: ToolCallBody, outcome: Outcome, event: AuditEvent): void {
  log.info(
    {
      audit: event,
      tool_call_id: body.tool_call_id,
      turn_id: body.turn_id,
      user_id: body.user_id,
      tool: body.tool_name,
      attempt: outcome.attempt,
      worker: outcome.worker,
      status: outcome.status,
      error_type: outcome.error?.error_type,
      duration_ms: outcome.duration_ms,
      arguments_sha256: createHash('sha256').update(JSON.stringify(body.arguments)).digest('hex'),
    },
    'tool call',
  );
}
