import type { Answer, Catalog, Claim, Outcome, ProcessRow, Step, Turn } from '#contracts';
import type { Time } from '#time';
import { assembleJournals } from '../assemble-journals.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted, Journal, Store } from '../store.port.js';
import { MongoTurnStore } from './mongo-turns.adapter.js';
import type { Collections, OpenCollections } from './open-collections.js';
import { retryWithin } from './retry-within.js';

const pingBudgetMs = 2_000;

/** More than almost any work has; who has more is asked for again. */
const attemptsPerQuery = 8;

/** The journal in MongoDB, or in what speaks its protocol: single-document writes by a majority, no transactions. */
export class MongoStore extends MongoTurnStore implements Store {
  #open?: OpenCollections;
  readonly #url: string;
  readonly #time: Time;

  /** @param url connection string; the database is `switchyard` unless it names one */
  constructor(url: string, time: Time) {
    super();
    this.#url = url;
    this.#time = time;
  }

  async open(): Promise<void> {
    const { openCollections } = await import('./open-collections.js');
    this.#open = await openCollections(this.#url, this.#time);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.connection.close();
  }

  async ping(): Promise<void> {
    const database = this.#opened.connection.db;
    await retryWithin(this.#time, pingBudgetMs, async () => database?.command({ ping: 1 }));
  }

  async time(): Promise<number> {
    const { db } = this.#opened.connection;
    // By its old name: some that speak the protocol have no other, and MongoDB itself has kept it.
    const hello = { isMaster: 1 };
    const answer = await retryWithin(this.#time, pingBudgetMs, async () => db!.command(hello));
    return (answer.localTime as Date).getTime();
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
