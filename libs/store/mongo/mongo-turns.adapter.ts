import { ENDED_STATUSES, UNENDED_STATUSES } from '#contracts';
import type { Conversation, Turn, TurnStatus } from '#contracts';
import type { Inserted } from '../side-store.port.js';
import { fittingTurns } from '../fitting-turns.js';
import type { Opening, TurnsPage, TurnState, TurnStore } from '../turn-store.port.js';
import type { Query } from './mongo-reads.js';
import { MongoSideStore } from './mongo-side.adapter.js';
import { removeTurns } from './remove-turns.js';

const unended = { status: { $in: UNENDED_STATUSES } };
const PARKED = 'awaiting_input';
/** All but that one, by name, so that an index gives them in the order of their times. */
const MOVING = [...UNENDED_STATUSES, ...ENDED_STATUSES].filter((status) => status !== PARKED);

/** Conversations and turns, in MongoDB. */
export abstract class MongoTurnStore extends MongoSideStore implements TurnStore {
  async insertConversation(row: Conversation): Promise<Inserted<Conversation>> {
    return this.rows.conversations.insert(row);
  }

  async getConversation(id: string): Promise<Conversation | null> {
    return this.rows.conversations.get(id);
  }

  async listConversations(userId: string, page: { skip: number; limit: number }): Promise<Conversation[]> {
    const equals = { user_id: userId, deleted_at: null, expires_at: null };
    return this.rows.conversations.find({ equals, sort: { updated_at: -1, _id: -1 }, ...page });
  }

  async updateConversation(
    id: string,
    change: Parameters<TurnStore['updateConversation']>[1],
  ): Promise<void> {
    await this.rows.conversations.set({ equals: { _id: id } }, change);
  }

  async listDueConversations(now: number, limit: number): Promise<Conversation[]> {
    const conditions = { due_at: { $lte: now } };
    return this.rows.conversations.find({ conditions, sort: { due_at: 1 }, limit });
  }

  async listUnscheduledConversations(limit: number): Promise<Conversation[]> {
    const conditions = { deleted_at: { $gt: '' } };
    return this.rows.conversations.find({ equals: { due_at: null }, conditions, limit });
  }

  async listUnchangedConversations(before: string, limit: number): Promise<Conversation[]> {
    const conditions = { updated_at: { $lt: before } };
    return this.rows.conversations.find({
      equals: { deleted_at: null },
      conditions,
      sort: { updated_at: 1 },
      limit,
    });
  }

  removeTurns(conversationId: string, turnIds: string[], keep: 'ids' | 'nothing'): Promise<void> {
    return removeTurns(this.rows, conversationId, turnIds, keep);
  }

  async removeConversation(id: string): Promise<void> {
    await this.rows.conversations.remove(id);
  }

  async insertTurn(row: Turn): Promise<Inserted<Turn> | 'taken'> {
    const { turns } = this.rows;
    const { _id, conversation_id, client_message_id, number } = row;
    return turns.insertUnless<'taken'>(row, async () => {
      const [sameId, sameMessage, sameNumber] = await Promise.all([
        turns.findOnce({ equals: { _id } }),
        turns.findOnce({ equals: { conversation_id, client_message_id } }),
        turns.findOnce({ equals: { conversation_id, number } }),
      ]);
      return sameId[0] ?? sameMessage[0] ?? (sameNumber[0] ? 'taken' : null);
    });
  }

  async insertTurns(rows: Turn[]): Promise<number> {
    return this.rows.turns.insertUntilTaken(rows);
  }

  async getTurn(id: string): Promise<Turn | null> {
    return this.rows.turns.get(id);
  }

  async lastTurnNumber(conversationId: string): Promise<number> {
    return (await this.listTurns(conversationId, { limit: 1 }))[0]?.number ?? 0;
  }

  async listTurns(conversationId: string, page: TurnsPage): Promise<Turn[]> {
    const { limit, bytes } = page;
    const isForward = 'after' in page;
    const below = isForward || page.before === undefined ? {} : { number: { $lt: page.before } };
    const conditions = isForward ? { number: { $gt: page.after } } : below;
    const equals = { conversation_id: conversationId };
    const turns = await this.#find(
      { equals, conditions, sort: { number: isForward ? 1 : -1 }, limit },
      bytes,
    );
    return turns.sort(byNumber);
  }

  async listUnendedTurns(conversationId: string, bytes?: number): Promise<Turn[]> {
    const equals = { conversation_id: conversationId };
    const turns = await this.#find({ equals, conditions: unended, sort: { number: 1 } }, bytes);
    return turns.sort(byNumber);
  }

  async listUnendedTurnsOf(userId: string): Promise<Turn[]> {
    return this.rows.turns.find({ equals: { user_id: userId }, conditions: unended });
  }

  async listUnendedStatesOf(userId: string): Promise<TurnState[]> {
    const query = { equals: { user_id: userId }, conditions: unended };
    return this.rows.turns.findParts(query, ['conversation_id', 'number', 'status'], (turn) => turn);
  }

  async listOpenings(conversationIds: string[], length: number): Promise<Opening[]> {
    const query = { equals: { number: 1 }, conditions: { conversation_id: { $in: conversationIds } } };
    return this.rows.turns.findParts(query, ['conversation_id', 'content'], (turn) => ({
      conversation_id: turn.conversation_id,
      opening: ownCopy(turn.content.slice(0, length)),
    }));
  }

  async countUnendedTurns(userId: string): Promise<number> {
    return this.rows.turns.count({ equals: { user_id: userId }, conditions: unended });
  }

  async setTurnStatus(id: string, status: TurnStatus): Promise<void> {
    const conditions = { status: { $nin: ENDED_STATUSES } };
    await this.rows.turns.set({ equals: { _id: id }, conditions }, { status });
  }

  async setTurnDue(id: string, dueAt: number | null): Promise<void> {
    await this.rows.turns.set({ equals: { _id: id } }, { due_at: dueAt });
  }

  async setTurnsDue(ids: string[], dueAt: number | null): Promise<void> {
    await this.rows.turns.changeAmong('_id', ids, { set: { due_at: dueAt } });
  }

  async listDueTurns(now: number, limit: number, which?: 'moving' | 'parked'): Promise<Turn[]> {
    const isDue = { due_at: { $lte: now } };
    const only = which && { status: { $in: which === 'parked' ? [PARKED] : MOVING } };
    return this.rows.turns.find({ conditions: { ...isDue, ...only }, sort: { due_at: 1 }, limit });
  }

  /** With `bytes` only the first ones that fit: the server measures before it sends. */
  async #find(query: Query<'turns'>, bytes: number | undefined): Promise<Turn[]> {
    const { turns, steps, claims, outcomes, answers } = this.rows;
    if (bytes === undefined) return turns.find(query);
    const found = await turns.sizes(query);
    const ids = found.map(({ turn_id }) => turn_id);
    const others = await Promise.all(
      [steps, claims, outcomes, answers].map((rows) => rows.sizesOfTurns(ids)),
    );
    return turns.findAmong('_id', fittingTurns(found, others.flat(), bytes));
  }
}

/** A slice would keep the whole text in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

const byNumber = (a: Turn, b: Turn) => a.number - b.number;
