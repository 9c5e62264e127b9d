import type {
  Answer,
  Catalog,
  Claim,
  Journal,
  LedgerBeats,
  Outcome,
  ProcessLoad,
  ProcessRow,
  Step,
  Turn,
} from '#contracts';
import type { Inserted } from './auxiliary-store.port.js';
import type { TurnStore } from './turn-store.port.js';

export type { Journal } from '#contracts';
export type { Inserted } from './auxiliary-store.port.js';
export type { UsageKey, UsageQuery, UsageSum } from './usage-store.port.js';

/** A part of the database that is not there. Without a `unique_index` a store does not open. */
export interface Missing {
  kind: 'collection' | 'unique_index' | 'index';
  /** `turns (conversation_id, number)`. */
  name: string;
}

/**
 * The journal. Decisions are inserts by `_id`: `claim`, `settle`, `commitStep`, `answer`, `insertTurn` (of
 * `TurnStore`); the first insert wins, and each later one gets the winner's row. When the answer to an insert is lost,
 * the adapter retries and reads back; a stored row equal to the inserted one then counts as won. Updates change only
 * caches.
 *
 * Reads that decisions depend on see every acknowledged write (majority, primary). Writes are durable when their
 * promise resolves (MongoDB: `w: majority, j: true`; SQLite: `synchronous=FULL`).
 *
 * Errors: `StoreUnavailableError` (retryable: unreachable, timed out) and no other in normal operation. A duplicate key
 * is an answer, never an error.
 */
export interface Store extends TurnStore {
  /** Connects, creates missing collections and indexes, and throws `StoreSetupError` when a unique index is missing. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** What `open` would create, or refuse to run without. Changes nothing. */
  findMissing(): Promise<Missing[]>;
  /** Resolves when a round trip works. */
  ping(): Promise<void>;
  /** Milliseconds since 1970 by the store's own clock, which is the same for all processes. */
  time(): Promise<number>;

  /** Turn, steps, claims, outcomes and answers in parallel reads; null if there is no such turn. */
  readJournal(turnId: string): Promise<Journal | null>;
  /** The same for several turns of one conversation, in bulk, in the order of their numbers. */
  readJournals(conversationId: string, turns: Turn[]): Promise<Journal[]>;
  /** The same for turns of any conversations. A turn that was removed meanwhile is left out. */
  readJournalsOf(turnIds: string[]): Promise<Journal[]>;
  /**
   * The same without the messages, the models' output and the results of tools, which may have many megabytes and are
   * not read: they are empty. What has happened, when and by whom is as in the journal.
   */
  readOutlines(turnIds: string[]): Promise<Journal[]>;
  /**
   * Steps of the conversation's turns with number in (after, before), sorted by turn number and n: history for the
   * model. With `limit`, only the first ones.
   */
  listSteps(
    conversationId: string,
    range: { after: number; before: number; limit?: number },
  ): Promise<Step[]>;
  listOutcomes(turnIds: string[]): Promise<Outcome[]>;
  commitStep(row: Step): Promise<Inserted<Step>>;
  /** Inserts several steps in one write; an existing step stays unchanged. */
  commitSteps(rows: Step[]): Promise<void>;
  getStep(turnId: string, n: number): Promise<Step | null>;

  claim(row: Claim): Promise<Inserted<Claim>>;
  /** Claims of one piece of work (turn id or tool call id), by attempt. */
  listClaims(workId: string): Promise<Claim[]>;
  settle(row: Outcome): Promise<Inserted<Outcome>>;
  getOutcome(toolCallId: string): Promise<Outcome | null>;
  answer(row: Answer): Promise<Inserted<Answer>>;
  getAnswer(id: string): Promise<Answer | null>;

  putCatalog(row: Catalog): Promise<void>;
  getCatalog(hash: string): Promise<Catalog | null>;

  insertProcess(row: ProcessRow): Promise<void>;
  /** Increases the process's `beat` by one and keeps its load; `gone` when its row no longer exists. */
  beat(processId: string, load?: ProcessLoad): Promise<'beaten' | 'gone'>;
  /** The same for beats that their process numbers: `beat` becomes this number, unless it is already as high. */
  beatTo(processId: string, number: number, load?: ProcessLoad): Promise<'beaten' | 'gone'>;
  /** Sets an orchestrator's `ledger_beats`; the last writer wins. */
  keepLedgerBeats(processId: string, beats: LedgerBeats): Promise<void>;
  listProcesses(): Promise<ProcessRow[]>;
  removeProcess(processId: string): Promise<void>;
}
