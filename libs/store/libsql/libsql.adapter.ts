import type { Answer, Catalog, Claim, Outcome, ProcessRow, Step, Turn } from '#contracts';
import { assembleJournals } from '../assemble-journals.js';
import { COLLECTION_NAMES } from '../collections.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted, Journal, Store } from '../store.port.js';
import { LibsqlTurnStore } from './libsql-turns.adapter.js';
import { openDatabase, type OpenDatabase } from './open-database.js';
import { translateSqliteError } from './sqlite-errors.js';
import { inList, Table, type Tables } from './table.js';

/** The journal in one SQLite file that this process alone uses. Every statement is synchronous and durable. */
export class LibsqlStore extends LibsqlTurnStore implements Store {
  #open?: OpenDatabase & { tables: Tables };

  /** @param dataDir a folder, created if missing, or `:memory:` */
  constructor(readonly dataDir: string) {
    super();
  }

  async open(): Promise<void> {
    try {
      const opened = await openDatabase(this.dataDir);
      const entries = COLLECTION_NAMES.map((name) => [name, new Table(opened.database, name)]);
      this.#open = { ...opened, tables: Object.fromEntries(entries) as Tables };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    try {
      open?.close();
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  ping(): Promise<void> {
    return this.do(({ processes }) => void processes.measure('1', 'LIMIT 1'));
  }

  time(): Promise<number> {
    const milliseconds = "SELECT CAST(1000 * unixepoch('now', 'subsec') AS INTEGER) AS now";
    return this.do(({ processes }) => {
      const [row] = processes.database.prepare(milliseconds).all() as { now: number }[];
      return row!.now;
    });
  }

  readJournal(turnId: string): Promise<Journal | null> {
    return this.do((tables) => {
      const turn = tables.turns.get(turnId);
      return turn && (readJournals(tables, [turn])[0] ?? null);
    });
  }

  readJournals(_conversationId: string, turns: Turn[]): Promise<Journal[]> {
    return this.do((tables) => readJournals(tables, turns));
  }

  readJournalsOf(turnIds: string[]): Promise<Journal[]> {
    const ids = JSON.stringify(turnIds);
    return this.do((tables) => readJournals(tables, tables.turns.select(`WHERE _id ${inList}`, ids)));
  }

  listSteps(conversationId: string, range: Parameters<Store['listSteps']>[1]): Promise<Step[]> {
    const clauses =
      'WHERE conversation_id = ? AND turn_number > ? AND turn_number < ? ORDER BY turn_number, n LIMIT ?';
    const { after, before, limit = -1 } = range;
    return this.do(({ steps }) => steps.select(clauses, conversationId, after, before, limit));
  }

  listOutcomes(turnIds: string[]): Promise<Outcome[]> {
    return this.do(({ outcomes }) => outcomes.select(`WHERE turn_id ${inList}`, JSON.stringify(turnIds)));
  }

  commitStep(row: Step): Promise<Inserted<Step>> {
    return this.do(({ steps }) => steps.insertOrRead(row));
  }

  commitSteps(rows: Step[]): Promise<void> {
    return this.do(({ steps }) => steps.insertMissing(rows));
  }

  getStep(turnId: string, n: number): Promise<Step | null> {
    return this.do(({ steps }) => steps.get(`${turnId}:${n}`));
  }

  claim(row: Claim): Promise<Inserted<Claim>> {
    return this.do(({ claims }) => claims.insertOrRead(row));
  }

  listClaims(workId: string): Promise<Claim[]> {
    // `;` follows `:`, so the range holds exactly the ids `<work>:…`.
    const select = ({ claims }: Tables) =>
      claims.select('WHERE _id > ? AND _id < ?', `${workId}:`, `${workId};`);
    return this.do((tables) => select(tables).sort((a, b) => a.n - b.n));
  }

  settle(row: Outcome): Promise<Inserted<Outcome>> {
    return this.do(({ outcomes }) => outcomes.insertOrRead(row));
  }

  getOutcome(toolCallId: string): Promise<Outcome | null> {
    return this.do(({ outcomes }) => outcomes.get(toolCallId));
  }

  answer(row: Answer): Promise<Inserted<Answer>> {
    return this.do(({ answers }) => answers.insertOrRead(row));
  }

  getAnswer(id: string): Promise<Answer | null> {
    return this.do(({ answers }) => answers.get(id));
  }

  putCatalog(row: Catalog): Promise<void> {
    return this.do(({ catalogs }) => void catalogs.insert(row));
  }

  getCatalog(hash: string): Promise<Catalog | null> {
    return this.do(({ catalogs }) => catalogs.get(hash));
  }

  insertProcess(row: ProcessRow): Promise<void> {
    return this.do(({ processes }) => void processes.insert(row));
  }

  beat(processId: string): Promise<'beaten' | 'gone'> {
    const countUp = (row: ProcessRow) => ({ ...row, beat: row.beat + 1 });
    return this.do(({ processes }) => (processes.update(processId, countUp) ? 'beaten' : 'gone'));
  }

  listProcesses(): Promise<ProcessRow[]> {
    return this.do(({ processes }) => processes.select('ORDER BY _id'));
  }

  removeProcess(processId: string): Promise<void> {
    return this.do(({ processes }) => processes.remove(processId));
  }

  /** A promise, so that whoever awaits it lets others run as with any store. */
  protected async do<T>(operation: (tables: Tables) => T): Promise<T> {
    if (!this.#open) throw new StoreUnavailableError('The store is not open.');
    try {
      return operation(this.#open.tables);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }
}

function readJournals(tables: Tables, turns: Turn[]): Journal[] {
  const ids = JSON.stringify(turns.map((turn) => turn._id));
  const clauses = `WHERE turn_id ${inList}`;
  return assembleJournals(turns, {
    steps: tables.steps.select(clauses, ids),
    claims: tables.claims.select(clauses, ids),
    outcomes: tables.outcomes.select(clauses, ids),
    answers: tables.answers.select(clauses, ids),
  });
}
