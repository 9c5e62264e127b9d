import { createHash } from 'node:crypto';
import type { Outcome } from '#contracts';
import { traceIdOf } from '#tracing';
import type { AuditedCall } from './journal-observer.js';
import type { Log } from './ports.js';

/** `invoked`: a worker had started the call. `late`: another outcome already stands, so this one was dropped. */
type AuditEvent = 'invoked' | 'refused' | 'cancelled' | 'late';

export function auditedCall(
  userId: string,
  args: Record<string, unknown>,
  { version, traceparent }: { version?: string; traceparent?: string } = {},
): AuditedCall {
  const arguments_sha256 = createHash('sha256').update(JSON.stringify(args)).digest('hex');
  return { user_id: userId, version, trace_id: traceIdOf(traceparent), arguments_sha256 };
}

/** Writes one record per end of a call, whichever process settled it: who, what, how it ended; no values, no output. */
export function audit(
  auditLog: Pick<Log, 'info'>,
  call: { tool_name: string; audited: AuditedCall },
  outcome: Outcome,
  stands: boolean,
): void {
  const { user_id, version, trace_id, arguments_sha256 } = call.audited;
  auditLog.info(
    {
      audit: stands ? eventOf(outcome) : 'late',
      tool_call_id: outcome._id,
      turn_id: outcome.turn_id,
      trace_id,
      user_id,
      tool: call.tool_name,
      version,
      attempt: outcome.attempt,
      worker: outcome.worker,
      status: outcome.status,
      error_type: outcome.error?.error_type,
      duration_ms: outcome.duration_ms,
      arguments_sha256,
    },
    'tool call',
  );
}

function eventOf({ attempt, error }: Outcome): AuditEvent {
  if (error?.error_type === 'Cancelled') return 'cancelled';
  return attempt > 0 ? 'invoked' : 'refused';
}
