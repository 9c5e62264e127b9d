import type {
  Answer,
  Catalog,
  Claim,
  LedgerBeats,
  Outcome,
  ProcessLoad,
  ProcessRow,
  Step,
  Turn,
} from '#contracts';
import type { Inserted, Journal, Missing, Store } from '../port/store.port.js';
import { assembleJournals, type JournalRows } from './assemble-journals.js';
import { readOutlineRows } from './outline-rows.js';
import { RowsTurnStore } from './rows-turn-store.js';

/** More than almost any work has. For work with more attempts, the next ones are queried. */
const ATTEMPTS_PER_QUERY = 8;

/** A store over the rows of any database. */
export class RowsStore extends RowsTurnStore implements Store {
  open(): Promise<void> {
    return this.database.open();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  findMissing(): Promise<Missing[]> {
    return this.database.findMissing();
  }

  ping(): Promise<void> {
    return this.database.ping();
  }

  time(): Promise<number> {
    return this.database.time();
  }

  async readJournal(turnId: string): Promise<Journal | null> {
    const [turn, rows] = await Promise.all([this.rows.turns.get(turnId), this.readJournalRows([turnId])]);
    return (turn && assembleJournals([turn], rows)[0]) ?? null;
  }

  async readJournals(conversationId: string, turns: Turn[]): Promise<Journal[]> {
    const ids = turns.map((turn) => turn._id);
    return assembleJournals(turns, await this.readJournalRows(ids, conversationId));
  }

  async readJournalsOf(turnIds: string[]): Promise<Journal[]> {
    const [turns, rows] = await Promise.all([
      this.rows.turns.find({ among: { field: '_id', values: turnIds } }),
      this.readJournalRows(turnIds),
    ]);
    return assembleJournals(turns, rows);
  }

  async readOutlines(turnIds: string[]): Promise<Journal[]> {
    const { turns, rows } = await readOutlineRows(this.rows, turnIds);
    return assembleJournals(turns, rows);
  }

  async listSteps(conversationId: string, range: Parameters<Store['listSteps']>[1]): Promise<Step[]> {
    const { after, before, limit } = range;
    const equals = { conversation_id: conversationId };
    const where = { turn_number: { gt: after, lt: before } };
    return this.rows.steps.find({ equals, where, order: { turn_number: 'asc', n: 'asc' }, limit });
  }

  async listOutcomes(turnIds: string[]): Promise<Outcome[]> {
    return this.rows.outcomes.find({ among: { field: 'turn_id', values: turnIds } });
  }

  async commitStep(row: Step): Promise<Inserted<Step>> {
    return this.rows.steps.insert(row);
  }

  async commitSteps(rows: Step[]): Promise<void> {
    await this.rows.steps.insertMany(rows, 'skip');
  }

  async getStep(turnId: string, n: number): Promise<Step | null> {
    return this.rows.steps.get(`${turnId}:${n}`);
  }

  async claim(row: Claim): Promise<Inserted<Claim>> {
    return this.rows.claims.insert(row);
  }

  async listClaims(workId: string): Promise<Claim[]> {
    const claims: Claim[] = [];
    // Attempts have no gaps: a query that returns fewer than it asked for has reached the last one.
    for (let first = 1; claims.length === first - 1; first += ATTEMPTS_PER_QUERY) {
      const values = Array.from({ length: ATTEMPTS_PER_QUERY }, (_, index) => `${workId}:${first + index}`);
      claims.push(...(await this.rows.claims.find({ among: { field: '_id', values } })));
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

  async beat(processId: string, load?: ProcessLoad): Promise<'beaten' | 'gone'> {
    const change = { countUp: 'beat', set: { load } } as const;
    const beaten = await this.rows.processes.change({ equals: { _id: processId } }, change);
    return beaten ? 'beaten' : 'gone';
  }

  async beatTo(processId: string, number: number, load?: ProcessLoad): Promise<'beaten' | 'gone'> {
    const { processes } = this.rows;
    const filter = { equals: { _id: processId }, where: { beat: { lt: number } } };
    if (await processes.change(filter, { set: { beat: number, load } })) return 'beaten';
    return (await processes.get(processId)) ? 'beaten' : 'gone';
  }

  async keepLedgerBeats(processId: string, ledger_beats: LedgerBeats): Promise<void> {
    await this.rows.processes.change({ equals: { _id: processId } }, { set: { ledger_beats } });
  }

  async listProcesses(): Promise<ProcessRow[]> {
    return this.rows.processes.find({ order: { _id: 'asc' } });
  }

  async removeProcess(processId: string): Promise<void> {
    await this.rows.processes.remove({ equals: { _id: processId } });
  }

  private async readJournalRows(turnIds: string[], conversationId?: string): Promise<JournalRows> {
    const hint = conversationId === undefined ? {} : { within: { conversation_id: conversationId } };
    const ofTurns = { among: { field: 'turn_id', values: turnIds }, hint } as const;
    const { steps, claims, outcomes, answers } = this.rows;
    const rows = await Promise.all([
      steps.find(ofTurns),
      claims.find(ofTurns),
      outcomes.find(ofTurns),
      answers.find(ofTurns),
    ]);
    return { steps: rows[0], claims: rows[1], outcomes: rows[2], answers: rows[3] };
  }
}
