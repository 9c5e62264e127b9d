import type { Outcome } from '#contracts';
import type { Metrics } from '#observability';
import { callOutcome, endedStatus, errorTypeLabel, toolsetOf } from '#turn';
import { audit, auditRecordOf, isUnknownTool } from './audit.js';
import type { AuditTrail } from './audit-trail.js';
import type { JournalObserver, SettledCall } from './journal-observer.js';
import type { Log } from './ports.js';

export type JournalMetrics = Pick<
  Metrics,
  'toolCalls' | 'turnsEnded' | 'turnDuration' | 'repairs' | 'deadLetters'
>;

/** Toolset label of a call that names no tool: the model chose the name. */
const NO_TOOLSET = 'other';

/**
 * Writes an audit record for each call that was settled here, and counts calls and turns.
 *
 * @param trail where the records are kept, too; absent: nowhere
 */
export function observeJournal(
  auditLog: Pick<Log, 'info'>,
  metrics: JournalMetrics,
  trail?: Pick<AuditTrail, 'keep'>,
): JournalObserver {
  return {
    callSettled(call, outcome, stands) {
      audit(auditLog, call, outcome, stands);
      trail?.keep(auditRecordOf(call, outcome, stands));
      const error_type = errorTypeLabel(outcome);
      metrics.toolCalls.inc({
        toolset: labelOf(call, outcome),
        outcome: callOutcome(call, outcome, stands),
        error_type,
      });
    },
    turnEnded(turn, end) {
      const status = endedStatus(end);
      metrics.turnsEnded.inc({
        status,
        code: status === 'failed' ? (end.error?.code ?? 'internal') : 'none',
      });
      metrics.turnDuration.observe({ status }, Math.max(0, Date.parse(end.at) - Date.parse(turn.at)) / 1_000);
    },
    repaired: (kind) => metrics.repairs.inc({ kind }),
    deadLettered: (queue, reason) => metrics.deadLetters.inc({ queue, reason }),
  };
}

function labelOf({ tool_name }: SettledCall, outcome: Outcome): string {
  return isUnknownTool(outcome) ? NO_TOOLSET : toolsetOf(tool_name);
}
