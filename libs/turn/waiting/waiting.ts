/** Why a turn waits. Every state of a turn that is not over has exactly one reason. */
export const WAIT_REASONS = [
  /** Another turn of its conversation comes first. */
  'earlier_turn',
  /** No process may take it up. */
  'no_orchestrator',
  /** No orchestrator has taken it up yet. */
  'orchestrator',
  /** Its orchestrator is gone; another one will take it over. */
  'orchestrator_lost',
  /** A model is asked for the next step, or waits for its admission. */
  'model',
  /** Its conversation is deleted, so it is being ended. */
  'ending',
  'paused',
  'no_worker',
  /** The worker of a call is gone; what follows depends on the call's class. */
  'worker_lost',
  'queued',
  'running',
  /** The turn was stopped; a worker is told to stop the call. */
  'stopping',
  /** The end of a call is known and is being written. */
  'settling',
  'question',
  'approval',
] as const;

export type WaitReason = (typeof WAIT_REASONS)[number];

/** What is known of a toolset's queue. */
export interface QueueState {
  /** Calls in the queue; a call in it has at most that many before it. Absent: the broker did not say. */
  calls?: number;
  /** Living workers of the toolset. */
  workers: number;
  /** Calls that these workers ended per second during the last minute. */
  per_second: number;
  /** How long the calls in the queue take at that rate; absent while nothing moves. */
  estimate_ms?: number;
}

/** Why a turn waits now. It names no content: ids, names, times and numbers only. */
export interface Waiting {
  reason: WaitReason;
  /** One sentence: what it waits for, and what it would take. */
  text: string;
  /** ISO 8601. */
  since: string;
  /** When the wait ends by itself, ISO 8601. */
  until?: string;
  step?: number;
  tool_call_id?: string;
  tool_name?: string;
  /** The process that has it in hand. */
  process?: string;
  queue?: QueueState;
}
