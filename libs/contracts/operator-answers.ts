import type { LetterReason } from './letter-reason.js';
import type { DeadLetter } from './records/dead-letter.js';
import type { Definition } from './records/definition.js';
import type { AuditRecord } from './records/audit.js';
import type { ModelLoad, ProcessLoad, ProcessRow } from './records/process.js';
import type { ToolSource } from './records/step.js';
import type { Switch } from './records/switch.js';
import type { Turn } from './records/turn.js';
import type { ToolClass } from './tool-messages.js';

/*
 * What the operators' interface answers (docs/protocol.md): ids, names, numbers and times, never what people, models or
 * tools wrote.
 */

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

/** One row or verdict about a turn: ids, names, times and sizes, no content. */
export interface TimelineEntry {
  /** ISO 8601. */
  at: string;
  what:
    | 'message'
    /** An orchestrator drives the turn. */
    | 'taken_up'
    | 'step'
    /** A step asks for a call. */
    | 'call'
    /** A worker runs the call, or a process has decided that it never runs. */
    | 'call_claimed'
    | 'call_ended'
    | 'question'
    | 'answer'
    | 'approval'
    | 'dead_letter';
  /** The process or user that did it. */
  by?: string;
  step?: number;
  tool_call_id?: string;
  attempt?: number;
  /** Numbers and names of fixed sets, by what it is. */
  about?: Record<string, string | number | boolean>;
}

/** A turn as operators see it: nothing that its user or its model wrote. */
export interface ListedTurn extends Pick<Turn, 'conversation_id' | 'number' | 'user_id' | 'at' | 'status'> {
  turn_id: string;
  /** Null: it is over. */
  waiting: Waiting | null;
}

export interface TurnTimeline extends ListedTurn {
  timeline: TimelineEntry[];
}

export interface ListedProcess extends Omit<ProcessRow, '_id' | 'load'> {
  id: string;
  /** False once its row stands still: it has died, and is removed within an hour. */
  is_alive: boolean;
  /** As of its last beat, at most 2 s ago. */
  load: ProcessLoad;
}

/** What the living workers of a toolset offer together. */
export interface ToolsetOffer {
  source: ToolSource;
  /** Classes of its tools, in the order of how carefully they are repeated. */
  classes: ToolClass[];
  /** Tools that some of its workers lack or define differently, by name; 20 at most. */
  drift: string[];
}

/** Without the members of its offer while no worker is known. */
export interface ListedToolset extends QueueState, Partial<ToolsetOffer> {
  name: string;
  /** Calls that all its workers run now, and can run at once. */
  running: number;
  slots: number;
  /** Living workers that have it and take no new calls; not among `workers`. */
  draining: number;
  /** By an operator. */
  is_paused: boolean;
  /** Its tools that are blocked one by one, by an operator or by quarantine; absent: none. */
  blocked_tools?: string[];
}

/** What is left of a budget in the whole installation, or that a model is paused: the sum of all orchestrators. */
export interface ListedModel extends ModelLoad {
  name: string;
}

export interface FleetState {
  /** When it was read, ISO 8601. */
  at: string;
  processes: ListedProcess[];
  toolsets: ListedToolset[];
  models: ListedModel[];
  /** Messages that wait; absent: the broker did not say. */
  queues: { turns?: number; results?: number; dead_letters?: number };
}

/** A dead letter without its content. */
export interface ListedLetter extends Omit<DeadLetter, 'content' | 'reason'> {
  reason: LetterReason;
}

/** `content`: the message's ids, times and sizes as JSON; may be empty. */
export interface ShownLetter extends ListedLetter, Pick<DeadLetter, 'content'> {}

export type ListedSwitch = Omit<Switch, '_id'>;

export interface ListedSwitches {
  switches: ListedSwitch[];
}

/** The answer to setting a switch. */
export interface SetSwitch extends ListedSwitch {
  /** False: no living worker has this toolset or tool now, so the name may be wrong. */
  is_known: boolean;
}

/** The answer to undoing a switch that quarantined tools: what is offered again. */
export interface UnsetSwitch {
  accepted: AcceptedDefinition[];
}

export type AcceptedDefinition = Pick<Definition, 'tool' | 'version'>;

/** One thing that `switchyard doctor` looked at. */
export interface Checked {
  /** What was looked at: `broker`, `store`, `MCP server files`. */
  subject: string;
  /** `note`: nothing to do, but good to know. */
  level: 'ok' | 'note' | 'warning' | 'error';
  /** What was found; never a secret. */
  text: string;
  /** What to do about it. */
  mend?: string;
}

export interface AuditPage {
  /** Newest first. */
  records: AuditRecord[];
  /** What to ask for next; absent when there are no earlier records. */
  before?: string;
}
