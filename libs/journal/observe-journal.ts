import type { Outcome } from '#contracts';
import type { Metrics } from '#observability';
import { callOutcome, endedStatus, errorTypeLabel, toolsetOf } from '#turn';
import { audit } from './audit.js';
import type { JournalObserver, SettledCall } from './journal-observer.js';
import type { Log } from './ports.js';

export type JournalMetrics = Pick<
  Metrics,
  'toolCalls' | 'turnsEnded' | 'turnDuration' | 'repairs' | 'deadLetters'
>;

/** Toolset label of a call that names no tool: the model chose the name. */
const NO_TOOLSET = 'other';

/** Writes an audit record for each call that was settled here, and counts calls and turns. */
export function observeJournal(auditLog: Pick<Log, 'info'>, metrics: JournalMetrics): JournalObserver {
  return {
    callSettled(call, outcome, stands) {
      audit(auditLog, call, outcome, stands);
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

function labelOf({ tool_name }: SettledCall, { error, attempt }: Outcome): string {
  const isUnknown = attempt === 0 && error?.error_type === 'ToolNotFound';
  return isUnknown ? NO_TOOLSET : toolsetOf(tool_name);
}
