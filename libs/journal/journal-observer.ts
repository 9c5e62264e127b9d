import type { Call, Outcome, Step, Turn } from '#contracts';
import type { Death, QueueLabel, Repair } from '#observability';

/** The part of a call that audit records name besides its outcome; never its arguments. */
export interface AuditedCall {
  user_id: string;
  /** The toolset's version; absent where only a worker knows it. */
  version?: string;
  /** Absent without a trace. */
  trace_id?: string;
  arguments_sha256: string;
}

/** A settled call as auditors and metrics see it. */
export type SettledCall = Pick<Call, 'tool_name' | 'approval'> & { audited: AuditedCall };

/** Told of what this process has won in the journal, for metrics and audit records. Must not throw. */
export interface JournalObserver {
  /** `stands`: false when another outcome had been settled, so that this one was dropped. */
  callSettled(call: SettledCall, outcome: Outcome, stands: boolean): void;
  /** This process wrote the row that ends the turn. */
  turnEnded(turn: Turn, end: Step): void;
  /** This process mended what a lost process, message or write had left. */
  repaired(kind: Repair): void;
  /** This process stored a message that the broker gave up on. */
  deadLettered(queue: QueueLabel, death: Death): void;
}
