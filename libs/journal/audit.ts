import { createHash } from 'node:crypto';
import type { AuditRecord, CallEvent, Outcome } from '#contracts';
import { traceIdOf } from '#tracing';
import { errorTypeLabel, UNKNOWN_TOOL } from '#turn';
import type { AuditedCall } from './journal-observer.js';
import type { Log } from './ports.js';

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
      audit: eventOf(outcome, stands),
      tool_call_id: outcome._id,
      turn_id: outcome.turn_id,
      trace_id,
      user_id,
      tool: isUnknownTool(outcome) ? UNKNOWN_TOOL : call.tool_name,
      version,
      attempt: outcome.attempt,
      worker: outcome.worker,
      status: outcome.status,
      error_type: outcome.error?.error_type,
      breaks_output_schema: outcome.output_problem === undefined ? undefined : true,
      duration_ms: outcome.duration_ms,
      arguments_sha256,
    },
    'tool call',
  );
}

/** The same for the store: names of fixed sets instead of what a model or a tool wrote. */
export function auditRecordOf(
  call: { tool_name: string; audited: AuditedCall },
  outcome: Outcome,
  stands: boolean,
): Omit<AuditRecord, '_id'> {
  const { user_id, version, arguments_sha256 } = call.audited;
  const { turn_id, conversation_id, attempt, worker, status, duration_ms, at } = outcome;
  const error_type = errorTypeLabel(outcome);
  return {
    at,
    audit: eventOf(outcome, stands),
    user_id,
    conversation_id,
    turn_id,
    tool_call_id: outcome._id,
    tool: isUnknownTool(outcome) ? UNKNOWN_TOOL : call.tool_name,
    ...(version !== undefined && { version }),
    attempt,
    worker,
    status,
    ...(error_type !== 'none' && { error_type }),
    ...(outcome.output_problem !== undefined && { breaks_output_schema: true as const }),
    duration_ms,
    arguments_sha256,
  };
}

/** The model chose a name that no tool has. */
export function isUnknownTool({ attempt, error }: Outcome): boolean {
  return attempt === 0 && error?.error_type === 'ToolNotFound';
}

function eventOf({ attempt, error }: Outcome, stands: boolean): CallEvent {
  if (!stands) return 'late';
  if (error?.error_type === 'Cancelled') return 'cancelled';
  return attempt > 0 ? 'invoked' : 'refused';
}
