import { type Conversation, ENDED_STATUSES, type Turn, type TurnStatus, UNENDED_STATUSES } from '#contracts';
import type { Query, Size } from '../port/rows.port.js';
import type { Inserted } from '../port/auxiliary-store.port.js';
import type { DueTurn, Opening, TurnsPage, TurnState, TurnStore } from '../port/turn-store.port.js';
import { removeTurns } from './remove-turns.js';
import { RowsAuxiliaryStore } from './rows-auxiliary-store.js';

const UNENDED = { status: { in: UNENDED_STATUSES } };
const PARKED = 'awaiting_input';
/** All other statuses, by name, so that an index returns the turns sorted by time. */
const MOVING = [...UNENDED_STATUSES, ...ENDED_STATUSES].filter((status) => status !== PARKED);

/** Conversations and turns. */
export abstract class RowsTurnStore extends RowsAuxiliaryStore implements TurnStore {
  async insertConversation(row: Conversation): Promise<Inserted<Conversation>> {
    return this.rows.conversations.insert(row);
  }

  async getConversation(id: string): Promise<Conversation | null> {
    return this.rows.conversations.get(id);
  }

  async listConversationIds({ after, limit }: { after: string; limit: number }): Promise<string[]> {
    const query = { where: { _id: { gt: after } }, order: { _id: 'asc' }, limit } as const;
    return (await this.rows.conversations.findParts(query, ['_id'])).map(({ _id }) => _id);
  }

  async listConversations(userId: string, page: { skip: number; limit: number }): Promise<Conversation[]> {
    const equals = { user_id: userId, deleted_at: null, expires_at: null };
    return this.rows.conversations.find({ equals, order: { updated_at: 'desc', _id: 'desc' }, ...page });
  }

  async updateConversation(
    _id: string,
    change: Parameters<TurnStore['updateConversation']>[1],
  ): Promise<void> {
    await this.rows.conversations.change({ equals: { _id } }, { set: change });
  }

  async listDueConversations(now: number, limit: number): Promise<Conversation[]> {
    return this.rows.conversations.find({ where: { due_at: { lte: now } }, order: { due_at: 'asc' }, limit });
  }

  async listUnscheduledConversations(limit: number): Promise<Conversation[]> {
    return this.rows.conversations.find({
      equals: { due_at: null },
      where: { deleted_at: { gt: '' } },
      limit,
      // Every conversation that is not marked lacks the field.
      hint: { avoidIndexOf: 'due_at' },
    });
  }

  async listUnchangedConversations(before: string, limit: number): Promise<Conversation[]> {
    const where = { updated_at: { lt: before } };
    const order = { updated_at: 'asc' } as const;
    return this.rows.conversations.find({ equals: { deleted_at: null }, where, order, limit });
  }

  async removeTurns(conversationId: string, turnIds: string[], keep: 'ids' | 'nothing'): Promise<void> {
    await removeTurns(this.rows, conversationId, turnIds, keep);
  }

  async removeConversation(_id: string): Promise<void> {
    await this.rows.conversations.remove({ equals: { _id } });
  }

  async insertTurn(row: Turn): Promise<Inserted<Turn> | 'taken'> {
    const { _id, conversation_id, client_message_id, number } = row;
    return this.rows.turns.insertUnless(row, [
      { equals: { _id } },
      { equals: { conversation_id, client_message_id } },
      { equals: { conversation_id, number }, is: 'taken' },
    ]);
  }

  async insertTurns(rows: Turn[]): Promise<number> {
    return this.rows.turns.insertMany(rows, 'stop');
  }

  async getTurn(id: string): Promise<Turn | null> {
    return this.rows.turns.get(id);
  }

  async lastTurnNumber(conversationId: string): Promise<number> {
    const equals = { conversation_id: conversationId };
    const query = { equals, order: { number: 'desc' }, limit: 1 } as const;
    const [last] = await this.rows.turns.findParts(query, ['number']);
    return last?.number ?? 0;
  }

  async listTurns(conversationId: string, page: TurnsPage): Promise<Turn[]> {
    const { limit, bytes } = page;
    const isForward = 'after' in page;
    const below = isForward || page.before === undefined ? {} : { number: { lt: page.before } };
    const where = isForward ? { number: { gt: page.after } } : below;
    const order = { number: isForward ? 'asc' : 'desc' } as const;
    const query = { equals: { conversation_id: conversationId }, where, order, limit };
    return (await this.find(query, bytes)).sort(byNumber);
  }

  async listUnendedTurns(conversationId: string, bytes?: number): Promise<Turn[]> {
    const equals = { conversation_id: conversationId };
    const order = { number: 'asc' } as const;
    // An index on the number would scan the whole conversation for the few turns that are wanted.
    const query = { equals, where: UNENDED, order, hint: { avoidIndexOf: 'number' } } as const;
    return (await this.find(query, bytes)).sort(byNumber);
  }

  async listUnendedTurnsOf(userId: string): Promise<Turn[]> {
    return this.rows.turns.find({ equals: { user_id: userId }, where: UNENDED });
  }

  async listUnendedStatesOf(userId: string): Promise<TurnState[]> {
    const query = { equals: { user_id: userId }, where: UNENDED };
    return this.rows.turns.findParts(query, ['conversation_id', 'number', 'status']);
  }

  async listOpenings(conversationIds: string[], length: number): Promise<Opening[]> {
    const among = { field: 'conversation_id', values: conversationIds } as const;
    const query = { equals: { number: 1 }, among };
    const openings = await this.rows.turns.findParts(query, ['conversation_id', 'content'], {
      content: length,
    });
    return openings.map(({ conversation_id, content }) => ({ conversation_id, opening: content }));
  }

  async countUnendedTurns(userId: string): Promise<number> {
    return this.rows.turns.count({ equals: { user_id: userId }, where: UNENDED });
  }

  async setTurnStatus(_id: string, status: TurnStatus): Promise<void> {
    await this.rows.turns.change({ equals: { _id }, where: UNENDED }, { set: { status } });
  }

  async setTurnDue(_id: string, dueAt: number | null): Promise<void> {
    await this.rows.turns.change({ equals: { _id } }, { set: { due_at: dueAt } });
  }

  async setTurnsDue(ids: string[], dueAt: number | null): Promise<void> {
    await this.rows.turns.change({ among: { field: '_id', values: ids } }, { set: { due_at: dueAt } });
  }

  async listDueTurns(now: number, limit: number, which?: 'moving' | 'parked'): Promise<DueTurn[]> {
    const query = { where: { due_at: { lte: now } }, order: { due_at: 'asc' }, limit } as const;
    const { turns } = this.rows;
    const fields = ['_id', 'due_at'] as const;
    if (which === undefined) return turns.findParts(query, fields);
    if (which === 'parked') return turns.findParts({ ...query, equals: { status: PARKED } }, fields);
    const where = { ...query.where, status: { in: MOVING } };
    // Almost all due turns have one of these statuses, so an index on the order is more useful than one on the status.
    return turns.findParts({ ...query, where, hint: { avoidIndexOf: 'status' } }, fields);
  }

  /** With `bytes`, returns only the first turns that fit: the database measures before it sends. */
  private async find(query: Query<'turns'>, bytes: number | undefined): Promise<Turn[]> {
    const { turns, steps, claims, outcomes, answers } = this.rows;
    if (bytes === undefined) return turns.find(query);
    const found = await turns.measure(query, '_id');
    const ofTurns = { among: { field: 'turn_id', values: found.map(({ of }) => of) } } as const;
    const others = await Promise.all([
      steps.measure(ofTurns, 'turn_id'),
      claims.measure(ofTurns, 'turn_id'),
      outcomes.measure(ofTurns, 'turn_id'),
      answers.measure(ofTurns, 'turn_id'),
    ]);
    return turns.find({ among: { field: '_id', values: fittingTurns(found, others.flat(), bytes) } });
  }
}

const byNumber = (a: Turn, b: Turn) => a.number - b.number;

/** Ids of the first turns whose rows have at most `bytes` together; the very first turn is always included. */
function fittingTurns(turns: Size[], otherRows: Size[], bytes: number): string[] {
  const sizes = new Map(turns.map((turn) => [turn.of, turn.bytes]));
  for (const row of otherRows) sizes.set(row.of, (sizes.get(row.of) ?? 0) + row.bytes);
  let sum = 0;
  const end = turns.findIndex(({ of }, at) => (sum += sizes.get(of)!) > bytes && at > 0);
  return turns.slice(0, end < 0 ? turns.length : end).map(({ of }) => of);
}
