import type { Conversation, Policy, ToolChoice, Turn, TurnStatus } from '#contracts';
import type { Inserted, AuxiliaryStore } from './auxiliary-store.port.js';

/** The `limit` newest turns below `before`, or the `limit` first ones after `after`. */
export type TurnsPage = ({ before?: number } | { after: number }) & {
  limit: number;
  /**
   * Limits the page to turns whose journals have at most this many bytes together, starting next to `before` or
   * `after`. The first turn is always included. The store sums up what people, models and tools wrote; turns that do
   * not fit are not read.
   */
  bytes?: number;
};

/** The part of a turn that a list of conversations shows. */
export type TurnState = Pick<Turn, 'conversation_id' | 'number' | 'status'>;
/** What the sweeper needs to know before it reads a journal. */
export type DueTurn = Pick<Turn, '_id' | 'due_at'>;
export interface Opening {
  conversation_id: string;
  opening: string;
}

/** Conversations and their turns. Errors and durability are those of `Store`. */
export interface TurnStore extends AuxiliaryStore {
  insertConversation(row: Conversation): Promise<Inserted<Conversation>>;
  /** Also returns a deleted conversation (`deleted_at`). */
  getConversation(id: string): Promise<Conversation | null>;
  /** Ids of all conversations, marked and expiring ones too, by id. */
  listConversationIds(page: { after: string; limit: number }): Promise<string[]>;
  /** Sorted by `updated_at`, newest first, without deleted and expiring conversations. */
  listConversations(userId: string, page: { skip: number; limit: number }): Promise<Conversation[]>;
  /** The last writer wins. */
  updateConversation(
    id: string,
    change: {
      title?: string;
      policy?: Policy;
      tools?: ToolChoice;
      model?: string;
      updated_at?: string;
      deleted_at?: string;
      due_at?: number;
      late_after?: number;
    },
  ): Promise<void>;
  /** Conversations that are marked as deleted or expire, with `due_at` ≤ now, oldest first. */
  listDueConversations(now: number, limit: number): Promise<Conversation[]>;
  /**
   * Conversations marked as deleted without `due_at`, in any order: an earlier version that shares the store sets none.
   */
  listUnscheduledConversations(limit: number): Promise<Conversation[]>;
  /** Conversations not marked as deleted whose `updated_at` is before this, oldest first. */
  listUnchangedConversations(before: string, limit: number): Promise<Conversation[]>;
  /**
   * Removes these turns of a marked conversation with their outcomes, answers and dead letters, and all of its
   * artifacts. With `keep: 'ids'`, steps and claims stay without their content, so that no late insert can win a
   * decided row. With `nothing`, they are removed too. The turns are removed last, so that an interrupted removal can
   * be repeated from them. Idempotent.
   */
  removeTurns(conversationId: string, turnIds: string[], keep: 'ids' | 'nothing'): Promise<void>;
  /** Removes only the row; call it after everything else is removed. */
  removeConversation(id: string): Promise<void>;

  /**
   * Makes one attempt with `row.number`. `taken`: another turn has that number, try the next one. If a turn with this
   * `_id`, or with this client message id in the conversation, exists, the answer is that turn's row.
   */
  insertTurn(row: Turn): Promise<Inserted<Turn> | 'taken'>;
  /**
   * Inserts several turns in one write, in this order, up to the first one whose `_id`, number or client message id is
   * taken. Returns how many were inserted. Callers keep such a write small, because it is not interrupted.
   */
  insertTurns(rows: Turn[]): Promise<number>;
  getTurn(id: string): Promise<Turn | null>;
  /** The highest number in the conversation, 0 if it has no turns. */
  lastTurnNumber(conversationId: string): Promise<number>;
  /** Turns by number, ascending. */
  listTurns(conversationId: string, page: TurnsPage): Promise<Turn[]>;
  /**
   * Turns whose cached status is not an end, sorted by number: a superset of the turns that have not ended. With
   * `bytes`, only the first ones, as in a `TurnsPage`.
   */
  listUnendedTurns(conversationId: string, bytes?: number): Promise<Turn[]>;
  /** A user's turns in all conversations whose cached status is not an end, in no order. */
  listUnendedTurnsOf(userId: string): Promise<Turn[]>;
  /** The same, without reading their content. */
  listUnendedStatesOf(userId: string): Promise<TurnState[]>;
  /**
   * How these conversations began: the first `length` UTF-16 units of turn 1, in no order. A conversation without turns
   * has no entry. However long the messages are, at most a few are in memory at a time.
   */
  listOpenings(conversationIds: string[], length: number): Promise<Opening[]>;
  /** The number of a user's turns in all conversations whose cached status is not an end. */
  countUnendedTurns(userId: string): Promise<number>;
  /** Sets only the cache. An ended status is never replaced by another. */
  setTurnStatus(id: string, status: TurnStatus): Promise<void>;
  /** Sets only the cache: when the sweeper looks next; null means never again. */
  setTurnDue(id: string, dueAt: number | null): Promise<void>;
  /** The same for several turns, in one write. */
  setTurnsDue(ids: string[], dueAt: number | null): Promise<void>;
  /**
   * Turns with `due_at` ≤ now, oldest first; `parked`: only those whose cached status is `awaiting_input`; `moving`:
   * only the others.
   */
  listDueTurns(now: number, limit: number, which?: 'moving' | 'parked'): Promise<DueTurn[]>;
}
