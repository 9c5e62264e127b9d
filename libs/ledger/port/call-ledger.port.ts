import type {
  Answer,
  Artifact,
  ArtifactReference,
  Body,
  Claim,
  EventOf,
  QuestionSchema,
  ToolCallBody,
  ToolResult,
} from '#contracts';
import type { CallLabel } from '#journal';

/** A call as its worker has it. */
export interface WorkerCall {
  body: ToolCallBody;
  /** What viewers and auditors see of it. */
  label: CallLabel;
  /** Of the message that brought it. */
  traceparent?: string;
  /** The same in each repetition of a claim whose answer may have been lost. */
  nonce?: string;
}

/**
 * The result of claiming. `mine`: the call may start. `stopped`: its turn was stopped under this attempt, and a worker
 * that claimed it before may be running it. `elsewhere`: it belongs to another worker, or it has ended and its driver
 * knows.
 */
export type Claimed = { mine: Claim } | { stopped: number } | 'elsewhere';

/** A result that may be settled, and the artifacts kept with it. */
export type BoundedResult = ToolResult & { artifacts?: ArtifactReference[] };

/** How a call ended in its worker. */
export interface Ran {
  attempt: number;
  durationMs: number;
  result: BoundedResult;
  /** Of the run. */
  traceparent?: string;
  /** When it ended, ISO 8601; absent: now. The same in each repetition. */
  at?: string;
}

/** This worker's claims on a call that it does not run. */
export interface HeldClaims {
  /** The attempt that counts, and the first one. */
  attempt: number;
  first: number;
  /** It ran under one of these. */
  hasRun: boolean;
  /** The worker knows of an earlier claim that it did not run under that either. */
  neverStarted: boolean;
}

/** `expiresAt`: ms since 1970. */
export interface AskedQuestion {
  number: number;
  expiresAt: number;
  answer: Answer | null;
}

export interface Question {
  message: string;
  schema: QuestionSchema;
  /** In place of fields: the person gives access to an account. Only in the store's own ledger. */
  connection?: string;
  /** How many calls may be the one that asks: its server does not say which. Absent: this one does. */
  among?: number;
}

export type CallProgress = Pick<EventOf<'tool_progress'>, 'progress' | 'total' | 'message' | 'log'>;

/**
 * What a worker does to the journal, as verbs: each follows the rules (docs/architecture.md, "Claim and settle") and
 * tells viewers, auditors and the turn's driver what it has won. Nothing here rejects while the store or the broker is
 * away: it waits.
 */
export interface CallLedger {
  /**
   * Attempt 1, without reading first. `lost`: another worker was earlier, and `claimAgain` finds out what follows. A
   * call that is paused ends.
   */
  claim(call: WorkerCall): Promise<{ mine: Claim } | 'elsewhere' | 'lost'>;
  /** After a lost attempt 1. Finds out whether the owner lives, which takes up to two seconds. */
  claimAgain(call: WorkerCall): Promise<Claimed>;
  /** The next attempt of a call whose connection broke under this worker's last one. */
  claimNext(call: WorkerCall, attempt: number): Promise<Claimed>;
  /** A claim that was won begins to run: viewers see it. */
  start(call: WorkerCall, claim: Claim): void;
  progress(call: WorkerCall, progress: CallProgress): void;
  /** The call ends with this result, unless it has ended before. */
  settle(call: WorkerCall, ran: Ran): Promise<void>;
  /** Ends a call under a settle claim, so that it can never start. False when a worker has claimed it to run it. */
  refuse(call: WorkerCall, result: ToolResult): Promise<boolean>;
  /** The same for a call that must not start now. False when any process has claimed it before. */
  refuseUnclaimed(call: WorkerCall, result: ToolResult): Promise<boolean>;
  /** Ends a claimed call that does not run, or tells those who may be running it. */
  standBack(call: WorkerCall, held: HeldClaims): Promise<{ started: boolean }>;
  /** Ends a stopped call that is not in hand, unless another worker may be running it. */
  cancel(told: Body<'tool.cancel'>, mine: { started: boolean }): Promise<void>;
  /** To the end of its queue, for a worker that has its version. */
  passOn(call: WorkerCall): Promise<void>;
  /**
   * Asks the call's person. The number counts from `after`; a question that an earlier attempt has asked in the same
   * place is that question, with its answer.
   */
  ask(
    call: WorkerCall,
    question: Question,
    place: { after: number; expireMs: number },
  ): Promise<AskedQuestion>;
  answerOf(call: WorkerCall, number: number): Promise<Answer | null>;
  /** No answer in time is an answer too. Returns the one that stands. */
  giveUpAsking(call: WorkerCall, number: number): Promise<Answer>;
  putArtifact(call: WorkerCall, artifact: Artifact): Promise<void>;
}
