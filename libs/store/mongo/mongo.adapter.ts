import { ENDED_STATUSES, UNENDED_STATUSES } from '#contracts';
import type {
  Answer,
  Catalog,
  Claim,
  Conversation,
  Outcome,
  ProcessRow,
  Step,
  Turn,
  TurnStatus,
} from '#contracts';
import { assembleJournals } from '../assemble-journals.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted, Journal, Store } from '../store.port.js';
import { MongoSideStore } from './mongo-side.adapter.js';
import type { Collections, OpenCollections } from './open-collections.js';
import { removeTurns } from './remove-turns.js';
import { retryWithin } from './retry-within.js';

const pingBudgetMs = 2_000;
const unended = { status: { $in: UNENDED_STATUSES } };
const PARKED = 'awaiting_input';
/** All but that one, by name, so that an index gives them in the order of their times. */
const MOVING = [...UNENDED_STATUSES, ...ENDED_STATUSES].filter((status) => status !== PARKED);

/** More than almost any work has; who has more is asked for again. */
const attemptsPerQuery = 8;

/** The journal in MongoDB, or in what speaks its protocol: single-document writes by a majority, no transactions. */
export class MongoStore extends MongoSideStore implements Store {
  #open?: OpenCollections;
  readonly #url: string;

  /** @param url connection string; the database is `switchyard` unless it names one */
  constructor(url: string) {
    super();
    this.#url = url;
  }

  async open(): Promise<void> {
    const { openCollections } = await import('./open-collections.js');
    this.#open = await openCollections(this.#url);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.connection.close();
  }

  async ping(): Promise<void> {
    const database = this.#opened.connection.db;
    await retryWithin(pingBudgetMs, async () => database?.command({ ping: 1 }));
  }

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

  async updateConversation(id: string, change: Parameters<Store['updateConversation']>[1]): Promise<void> {
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

  async listTurns(
    conversationId: string,
    { before, limit }: { before?: number; limit: number },
  ): Promise<Turn[]> {
    const conditions = before === undefined ? {} : { number: { $lt: before } };
    const equals = { conversation_id: conversationId };
    return (await this.rows.turns.find({ equals, conditions, sort: { number: -1 }, limit })).reverse();
  }

  async listUnendedTurns(conversationId: string): Promise<Turn[]> {
    const equals = { conversation_id: conversationId };
    return this.rows.turns.find({ equals, conditions: unended, sort: { number: 1 } });
  }

  async listUnendedTurnsOf(userId: string): Promise<Turn[]> {
    return this.rows.turns.find({ equals: { user_id: userId }, conditions: unended });
  }

  async listFirstTurns(conversationIds: string[]): Promise<Turn[]> {
    return this.rows.turns.findAmong('conversation_id', conversationIds, { number: 1 });
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

  async readJournal(turnId: string): Promise<Journal | null> {
    const [turn, rows] = await Promise.all([this.rows.turns.get(turnId), this.#readJournalRows([turnId])]);
    return (turn && assembleJournals([turn], rows)[0]) ?? null;
  }

  async readJournals(conversationId: string, turns: Turn[]): Promise<Journal[]> {
    const ids = turns.map((turn) => turn._id);
    return assembleJournals(turns, await this.#readJournalRows(ids, conversationId));
  }

  async readJournalsOf(turnIds: string[]): Promise<Journal[]> {
    const [turns, rows] = await Promise.all([
      this.rows.turns.findAmong('_id', turnIds),
      this.#readJournalRows(turnIds),
    ]);
    return assembleJournals(turns, rows);
  }

  async listSteps(conversationId: string, range: Parameters<Store['listSteps']>[1]): Promise<Step[]> {
    const { limit } = range;
    const equals = { conversation_id: conversationId };
    const conditions = { turn_number: { $gt: range.after, $lt: range.before } };
    return this.rows.steps.find({ equals, conditions, sort: { turn_number: 1, n: 1 }, limit });
  }

  async listOutcomes(turnIds: string[]): Promise<Outcome[]> {
    return this.rows.outcomes.findAmong('turn_id', turnIds);
  }

  async commitStep(row: Step): Promise<Inserted<Step>> {
    return this.rows.steps.insert(row);
  }

  async commitSteps(rows: Step[]): Promise<void> {
    await this.rows.steps.insertMissing(rows);
  }

  async getStep(turnId: string, n: number): Promise<Step | null> {
    return this.rows.steps.get(`${turnId}:${n}`);
  }

  async claim(row: Claim): Promise<Inserted<Claim>> {
    return this.rows.claims.insert(row);
  }

  async listClaims(workId: string): Promise<Claim[]> {
    const claims: Claim[] = [];
    // Attempts have no holes: a query that brings fewer than it asked for has seen the last one.
    for (let first = 1; claims.length === first - 1; first += attemptsPerQuery) {
      const ids = Array.from({ length: attemptsPerQuery }, (_, index) => `${workId}:${first + index}`);
      claims.push(...(await this.rows.claims.findAmong('_id', ids)));
    }
    return claims.sort((a, b) => a.n - b.n);
  }

  async settle(row: Outcome): Promise<Inserted<Outcome>> {
    return this.rows.outcomes.insert(row);
  }

  async getOutcome(toolCallId: string): Promise<Outcome | null> {
    return this.rows.outcomes.get(toolCallId);
  }

  async answer(row: Answer): Promise<Inserted<Answer>> {
    return this.rows.answers.insert(row);
  }

  async getAnswer(id: string): Promise<Answer | null> {
    return this.rows.answers.get(id);
  }

  async putCatalog(row: Catalog): Promise<void> {
    await this.rows.catalogs.insert(row);
  }

  async getCatalog(hash: string): Promise<Catalog | null> {
    return this.rows.catalogs.get(hash);
  }

  async insertProcess(row: ProcessRow): Promise<void> {
    await this.rows.processes.insert(row);
  }

  async beat(processId: string): Promise<'beaten' | 'gone'> {
    return (await this.rows.processes.countUp(processId, 'beat')) ? 'beaten' : 'gone';
  }

  async listProcesses(): Promise<ProcessRow[]> {
    return this.rows.processes.find({ sort: { _id: 1 } });
  }

  async removeProcess(processId: string): Promise<void> {
    await this.rows.processes.remove(processId);
  }

  async #readJournalRows(turnIds: string[], conversationId?: string) {
    const equals = conversationId === undefined ? undefined : { conversation_id: conversationId };
    const [steps, claims, outcomes, answers] = await Promise.all([
      this.rows.steps.findAmong('turn_id', turnIds, equals),
      this.rows.claims.findAmong('turn_id', turnIds, equals),
      this.rows.outcomes.findAmong('turn_id', turnIds, equals),
      this.rows.answers.findAmong('turn_id', turnIds, equals),
    ]);
    return { steps, claims, outcomes, answers };
  }

  get #opened(): OpenCollections {
    if (!this.#open) throw new StoreUnavailableError('The store is not open.');
    return this.#open;
  }

  protected get rows(): Collections {
    return this.#opened.collections;
  }
}
