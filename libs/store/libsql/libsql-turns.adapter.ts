import { UNENDED_STATUSES } from '#contracts';
import type { Conversation, Turn, TurnStatus } from '#contracts';
import type { Inserted } from '../side-store.port.js';
import { fittingTurns, type RowSize } from '../fitting-turns.js';
import { cutJson, longestInJson } from '../cut-json.js';
import type { Opening, TurnsPage, TurnState, TurnStore } from '../turn-store.port.js';
import { LibsqlSideStore } from './libsql-side.adapter.js';
import { removeTurns } from './remove-turns.js';
import { inList, type Tables } from './table.js';

const unended = `status IN (${UNENDED_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Conversations and turns, in SQLite. */
export abstract class LibsqlTurnStore extends LibsqlSideStore implements TurnStore {
  insertConversation(row: Conversation): Promise<Inserted<Conversation>> {
    return this.do(({ conversations }) => conversations.insertOrRead(row));
  }

  getConversation(id: string): Promise<Conversation | null> {
    return this.do(({ conversations }) => conversations.get(id));
  }

  listConversations(
    userId: string,
    { skip, limit }: { skip: number; limit: number },
  ): Promise<Conversation[]> {
    const clauses =
      'WHERE user_id = ? AND deleted_at IS NULL AND expires_at IS NULL ' +
      'ORDER BY updated_at DESC, _id DESC LIMIT ? OFFSET ?';
    return this.do(({ conversations }) => conversations.select(clauses, userId, limit, skip));
  }

  updateConversation(id: string, change: Parameters<TurnStore['updateConversation']>[1]): Promise<void> {
    const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    return this.do(({ conversations }) => void conversations.update(id, (row) => ({ ...row, ...set })));
  }

  listDueConversations(now: number, limit: number): Promise<Conversation[]> {
    const clauses = 'WHERE due_at <= ? ORDER BY due_at LIMIT ?';
    return this.do(({ conversations }) => conversations.select(clauses, now, limit));
  }

  listUnscheduledConversations(limit: number): Promise<Conversation[]> {
    // The plus keeps SQLite from the index of due_at, where all those are that nobody has marked.
    const clauses = "WHERE deleted_at > '' AND +due_at IS NULL LIMIT ?";
    return this.do(({ conversations }) => conversations.select(clauses, limit));
  }

  listUnchangedConversations(before: string, limit: number): Promise<Conversation[]> {
    const clauses = 'WHERE deleted_at IS NULL AND updated_at < ? ORDER BY updated_at LIMIT ?';
    return this.do(({ conversations }) => conversations.select(clauses, before, limit));
  }

  removeTurns(conversationId: string, turnIds: string[], keep: 'ids' | 'nothing'): Promise<void> {
    return this.do((tables) => removeTurns(tables, conversationId, turnIds, keep));
  }

  removeConversation(id: string): Promise<void> {
    return this.do(({ conversations }) => conversations.remove(id));
  }

  insertTurn(row: Turn): Promise<Inserted<Turn> | 'taken'> {
    return this.do(({ turns }) => {
      if (turns.insert(row)) return { won: true, row };
      const clauses = 'WHERE conversation_id = ? AND client_message_id = ?';
      const stored =
        turns.get(row._id) ?? turns.select(clauses, row.conversation_id, row.client_message_id)[0];
      return stored ? { won: false, row: stored } : 'taken';
    });
  }

  insertTurns(rows: Turn[]): Promise<number> {
    return this.do(({ turns }) => turns.insertUntilTaken(rows));
  }

  getTurn(id: string): Promise<Turn | null> {
    return this.do(({ turns }) => turns.get(id));
  }

  lastTurnNumber(conversationId: string): Promise<number> {
    return this.do(({ turns }) => turns.measure('MAX(number)', 'WHERE conversation_id = ?', conversationId));
  }

  listTurns(conversationId: string, page: TurnsPage): Promise<Turn[]> {
    const isForward = 'after' in page;
    const edge = isForward ? page.after : (page.before ?? Number.MAX_SAFE_INTEGER);
    const [sign, order] = isForward ? ['>', 'ASC'] : ['<', 'DESC'];
    const clauses = `WHERE conversation_id = ? AND number ${sign} ? ORDER BY number ${order} LIMIT ?`;
    return this.do((tables) =>
      selectTurns(tables, page.bytes, clauses, conversationId, edge, page.limit).sort(byNumber),
    );
  }

  listUnendedTurns(conversationId: string, bytes?: number): Promise<Turn[]> {
    // The plus keeps SQLite from walking the whole conversation by number instead of the few that are wanted.
    const clauses = `WHERE conversation_id = ? AND ${unended} ORDER BY +number`;
    return this.do((tables) => selectTurns(tables, bytes, clauses, conversationId));
  }

  listUnendedTurnsOf(userId: string): Promise<Turn[]> {
    return this.do(({ turns }) => turns.select(`WHERE user_id = ? AND ${unended}`, userId));
  }

  listUnendedStatesOf(userId: string): Promise<TurnState[]> {
    const clauses = `WHERE user_id = ? AND ${unended}`;
    return this.do(({ turns }) =>
      turns.aggregate<TurnState>('conversation_id, number, status', clauses, userId),
    );
  }

  listOpenings(conversationIds: string[], length: number): Promise<Opening[]> {
    // Of the JSON text, as SQLite cannot hold every string that JSON can escape.
    const beginning = `substr(row -> '$.content', 1, ${longestInJson(length)}) AS beginning`;
    const clauses = `WHERE conversation_id ${inList} AND number = 1`;
    return this.do(({ turns }) =>
      turns
        .aggregate<{ conversation_id: string; beginning: string }>(
          `conversation_id, ${beginning}`,
          clauses,
          JSON.stringify(conversationIds),
        )
        .map(({ conversation_id, beginning }) => ({ conversation_id, opening: cutJson(beginning, length) })),
    );
  }

  countUnendedTurns(userId: string): Promise<number> {
    return this.do(({ turns }) => turns.measure('COUNT(*)', `WHERE user_id = ? AND ${unended}`, userId));
  }

  setTurnStatus(id: string, status: TurnStatus): Promise<void> {
    return this.do(({ turns }) => turns.changeWhere(`_id = ? AND ${unended}`, { set: { status } }, id));
  }

  setTurnDue(id: string, dueAt: number | null): Promise<void> {
    return this.do(({ turns }) => turns.changeWhere('_id = ?', { set: { due_at: dueAt } }, id));
  }

  setTurnsDue(ids: string[], dueAt: number | null): Promise<void> {
    const change = { set: { due_at: dueAt } };
    return this.do(({ turns }) => turns.changeWhere(`_id ${inList}`, change, JSON.stringify(ids)));
  }

  listDueTurns(now: number, limit: number, which?: 'moving' | 'parked'): Promise<Turn[]> {
    const only = which === undefined ? '' : `AND status ${which === 'parked' ? '=' : '<>'} 'awaiting_input'`;
    return this.do(({ turns }) =>
      turns.select(`WHERE due_at <= ? ${only} ORDER BY due_at LIMIT ?`, now, limit),
    );
  }
}

const byNumber = (a: Turn, b: Turn) => a.number - b.number;

/** As `Table.select`; with `bytes` only the first ones that fit. SQLite knows how long a text is without reading it. */
function selectTurns(
  tables: Tables,
  bytes: number | undefined,
  clauses: string,
  ...values: (string | number)[]
): Turn[] {
  const { turns, steps, claims, outcomes, answers } = tables;
  if (bytes === undefined) return turns.select(clauses, ...values);
  const length = 'octet_length(row)';
  const found = turns.aggregate<RowSize>(`_id AS turn_id, ${length} AS bytes`, clauses, ...values);
  const ids = JSON.stringify(found.map(({ turn_id }) => turn_id));
  const others = [steps, claims, outcomes, answers].flatMap((table) =>
    table.aggregate<RowSize>(
      `turn_id, SUM(${length}) AS bytes`,
      `WHERE turn_id ${inList} GROUP BY turn_id`,
      ids,
    ),
  );
  const fitting = JSON.stringify(fittingTurns(found, others, bytes));
  return turns.select(`WHERE _id ${inList} ORDER BY number`, fitting);
}
