import type { Conversation, ConversationEvent, DeadLetter, Journal, Snapshot, View } from '#contracts';

/*
 * What a run leaves behind for its judge: a folder of JSON lines, one shape per file. Times (`at`) are milliseconds
 * since epoch; everything runs on one machine and one clock.
 */

export const FILES = {
  run: 'run.json',
  starts: 'starts.jsonl',
  lives: 'lives.jsonl',
  requests: 'requests.jsonl',
  /** One file for each viewer: `viewer-<name>.jsonl`. */
  viewerPrefix: 'viewer-',
  fresh: 'fresh.jsonl',
  store: 'store.jsonl',
  memory: 'memory.jsonl',
  deadLetters: 'dead-letters.jsonl',
  complaints: 'complaints.jsonl',
} as const;

/** The run as a whole. */
export interface Run {
  seed: number;
  command: string;
  startedAt: number;
  /** When the monkey had repaired everything. */
  calmAt: number;
  endedAt: number;
  /** What the model's provider refused: requests that the real one would have refused. */
  violations: string[];
  modelRequests: number;
}

/** Written by the tool itself, before anything else, on every start. */
export interface Start {
  at: number;
  tool: string;
  /** What the model called it: names the request of the model that asked for it. */
  label: string;
  tool_call_id: string;
  attempt: number;
  worker_pid: number;
}

/** What happened to the processes, and around them. */
export type LifeEvent =
  | { at: number; what: 'born'; place: string; process_id: string; pid: number }
  /** `finished`: a drain that had the time to finish what was in hand. */
  | {
      at: number;
      what: 'died';
      place: string;
      process_id: string;
      by: 'kill' | 'drain' | 'itself';
      finished?: boolean;
    }
  /** Written when it thaws. */
  | { at: number; what: 'froze'; place: string; process_id: string; until: number }
  /** It reached its store no more; written when it does again. */
  | { at: number; what: 'cut_off'; place: string; process_id: string; until: number }
  /** Its tools' server was killed, and only that. */
  | { at: number; what: 'lost_tools'; place: string; process_id: string }
  /** A new process that ended before it took work, because the broker or the store was away. */
  | { at: number; what: 'stillborn'; place: string; reason: string }
  /** To the broker or the store: nobody may suffer more than a delay from it. */
  | { at: number; what: 'struck'; place: string; how: string };

/** What a client asked for and was told. */
export type ClientRequest =
  | { at: number; viewer: string; what: 'message'; conversation_id?: string; client_message_id: string }
  | {
      at: number;
      viewer: string;
      what: 'accepted';
      conversation_id: string;
      turn_id: string;
      client_message_id: string;
    }
  | { at: number; viewer: string; what: 'stop'; turn_id: string }
  /** `may_be_running` as acknowledged. */
  | { at: number; viewer: string; what: 'stopped'; turn_id: string; may_be_running: string[] }
  /** `approval`: asked; `answered`: acknowledged. */
  | {
      at: number;
      viewer: string;
      what: 'approval' | 'answered';
      tool_call_id: string;
      decision: 'approve' | 'deny';
    }
  /** Acknowledged. */
  | { at: number; viewer: string; what: 'deleted'; conversation_id: string }
  | { at: number; viewer: string; what: 'refused'; request: string; code: string };

/** Everything a viewer was sent, in the order it came. `left`: what it holds of this conversation now is the end. */
export type Seen =
  | { at: number; event: ConversationEvent | Snapshot }
  | { at: number; link: 'up' | 'down'; gateway: string }
  | { at: number; left: string };

/** What a newcomer is shown once everything is over. */
export interface FreshView {
  gateway: string;
  view: View;
}

/** A conversation as the store holds it at the end. */
export interface StoredConversation {
  conversation: Conversation;
  journals: Journal[];
}

export interface MemorySample {
  at: number;
  kind: string;
  process_id: string;
  rss_bytes: number;
}

/** A line that a process logged as an error. */
export interface Complaint {
  process_id: string;
  line: string;
}

export type StoredDeadLetter = Pick<DeadLetter, 'queue' | 'reason' | 'content'>;
