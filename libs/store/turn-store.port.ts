import type { Conversation, Policy, ToolChoice, Turn, TurnStatus } from '#contracts';
import type { Inserted, SideStore } from './side-store.port.js';

/** The `limit` newest turns below `before`, or the `limit` first ones after `after`. */
export type TurnsPage = ({ before?: number } | { after: number }) & {
  limit: number;
  /**
   * Only as many as have journals of this many bytes together, beginning with the one next to `before` or `after`,
   * but that one in any case. The store sums up what people, models and tools wrote; what does not fit is not read.
   */
  bytes?: number;
};

/** What a list of conversations says of a turn. */
export type TurnState = Pick<Turn, 'conversation_id' | 'number' | 'status'>;
export interface Opening {
  conversation_id: string;
  opening: string;
}

/** Conversations and their turns. Errors and durability are those of the `Store`. */
export interface TurnStore extends SideStore {
  insertConversation(row: Conversation): Promise<Inserted<Conversation>>;
  /** Also a deleted one (`deleted_at`). */
  getConversation(id: string): Promise<Conversation | null>;
  /** Newest `updated_at` first, without deleted ones and those that expire. */
  listConversations(userId: string, page: { skip: number; limit: number }): Promise<Conversation[]>;
  /** Last writer wins. */
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
  /** Marked ones, and those that expire, with `due_at` ≤ now, oldest first. */
  listDueConversations(now: number, limit: number): Promise<Conversation[]>;
  /** Marked ones without `due_at`, in any order: an earlier version that shares the store sets none. */
  listUnscheduledConversations(limit: number): Promise<Conversation[]>;
  /** Unmarked ones whose `updated_at` is before, oldest first. */
  listUnchangedConversations(before: string, limit: number): Promise<Conversation[]>;
  /**
   * Removes these turns of a marked conversation with their outcomes, answers and dead letters, and all of its
   * artifacts. With `keep: 'ids'` steps and claims stay, emptied of what they say, so that no late insert can win
   * what was decided; with `nothing` they go, too. The turns go last: what is cut short is repeated from them.
   * Idempotent.
   */
  removeTurns(conversationId: string, turnIds: string[], keep: 'ids' | 'nothing'): Promise<void>;
  /** The row alone; after everything else. */
  removeConversation(id: string): Promise<void>;

  /**
   * One try of `row.number`. `taken`: another turn has that number, try the next. A turn with this `_id`, or with
   * this client message id in the conversation, answers with that row.
   */
  insertTurn(row: Turn): Promise<Inserted<Turn> | 'taken'>;
  /**
   * Several turns in one write, in this order, up to the first whose `_id`, number or client message id is taken: how
   * many were inserted. Callers keep such a write small: it is not interrupted.
   */
  insertTurns(rows: Turn[]): Promise<number>;
  getTurn(id: string): Promise<Turn | null>;
  /** Highest number in the conversation, 0 if none. */
  lastTurnNumber(conversationId: string): Promise<number>;
  /** By number, ascending. */
  listTurns(conversationId: string, page: TurnsPage): Promise<Turn[]>;
  /**
   * Turns whose cached status is not an end, by number: a superset of those that have not ended. With `bytes` the first
   * ones, as in a `TurnsPage`.
   */
  listUnendedTurns(conversationId: string, bytes?: number): Promise<Turn[]>;
  /** Turns of a user over all conversations whose cached status is not an end, in no order. */
  listUnendedTurnsOf(userId: string): Promise<Turn[]>;
  /** The same; what they say is not read. */
  listUnendedStatesOf(userId: string): Promise<TurnState[]>;
  /**
   * How these conversations began: the first `length` UTF-16 units of turn 1, in no order; none for a conversation
   * without turns. However long the messages are, a few of them at most are in memory at a time.
   */
  listOpenings(conversationIds: string[], length: number): Promise<Opening[]>;
  /** Cached, and unended, turns of a user over all conversations. */
  countUnendedTurns(userId: string): Promise<number>;
  /** Cache only. An ended status is never replaced by another. */
  setTurnStatus(id: string, status: TurnStatus): Promise<void>;
  /** Cache only: when the sweeper looks next; null: never again. */
  setTurnDue(id: string, dueAt: number | null): Promise<void>;
  /** The same for several turns, in one write. */
  setTurnsDue(ids: string[], dueAt: number | null): Promise<void>;
  /**
   * Turns with `due_at` ≤ now, oldest first; `parked`: only those whose cached status is `awaiting_input`; `moving`:
   * only the others.
   */
  listDueTurns(now: number, limit: number, which?: 'moving' | 'parked'): Promise<Turn[]>;
}
