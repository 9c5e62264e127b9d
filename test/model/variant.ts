import type { ToolClass } from '#contracts';
import type { Rules } from './rules.js';

/** Changes of what no rule decides: the order in which a process does things, and what the store and the broker are. */
export type Slip =
  | 'publish_before_commit'
  | 'start_without_claim'
  | 'claim_upserted'
  | 'step_upserted'
  | 'outcome_upserted'
  | 'lost_step_moved_on'
  | 'result_believed_from_hint'
  | 'hint_before_outcome'
  | 'no_hint_after_outcome'
  | 'outcome_before_effect'
  | 'cancel_under_own_key'
  | 'acked_before_release'
  | 'stop_without_release'
  | 'lost_cancel_given_up'
  | 'claims_removed'
  | 'step_ids_removed'
  | 'removed_with_open_calls'
  | 'claim_of_own_name_taken'
  | 'held_for_ever'
  | 'held_call_given_up_alone'
  | 'stood_back_and_forgotten'
  | 'started_unanswered'
  | 'asked_anew';

/** A world to explore. */
export interface Variant {
  name: string;
  toolClass: ToolClass;
  /** A user may stop the turn, or delete its conversation. */
  user: 'waits' | 'stops' | 'deletes';
  /** Clocks may pass the call's deadline and the turn's budget; a toolset may have no worker. */
  clocks: boolean;
  /** A driver may hold a call back, and publish it when its deadline would have passed. */
  holds: boolean;
  /**
   * `hints`: a queue is one bit, "a copy is there": receiving leaves it, losing clears it. With unlimited loss and
   * duplication that is exact: redelivery is a duplicate, a crash before publishing a loss.
   * `deliveries`: up to two copies, each held until its ack.
   */
  broker: 'hints' | 'deliveries';
  /** Loss, duplication, reordering, crashes, lost memory, broken tool connections, wrong suspicion. */
  faults: boolean;
  /** Processes may die, and tools lose their connection. */
  deaths: boolean;
  /** What may be said of a process that lives. */
  suspicion: 'dead' | 'suspect';
  /** The sweeper, and the drivers' own ticks. */
  timers: boolean;
  sweeper: boolean;
  /** Decisions may follow from an older reading of the journal. */
  staleReads: boolean;
  /** The tool never ends by itself: only Stop ends it. */
  endless: boolean;
  /** One orchestrator and one worker, which may die and come back as another: enough for most mutants. */
  alone: boolean;
  /** One orchestrator and two workers. */
  oneDriver: boolean;
  /** Workers have no store: they ask the ledger for attempt 1. */
  ledger: boolean;
  /** Both workers are two deliveries at once in one process. */
  oneWorker: boolean;
  rules: Partial<Rules>;
  slips: readonly Slip[];
}

export function variant(name: string, change: Partial<Variant> = {}): Variant {
  return {
    name,
    toolClass: 'once',
    user: 'stops',
    clocks: false,
    holds: false,
    broker: 'hints',
    faults: true,
    deaths: true,
    suspicion: 'dead',
    timers: true,
    sweeper: true,
    staleReads: false,
    endless: false,
    alone: false,
    oneDriver: false,
    ledger: false,
    oneWorker: false,
    rules: {},
    slips: [],
    ...change,
  };
}
