import { isEndedStatus, UNENDED_STATUSES } from '#contracts';
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
import { COLLECTION_NAMES } from '../collections.js';
import { StoreUnavailableError } from '../store-errors.js';
import type { Inserted, Journal, Store } from '../store.port.js';
import { LibsqlSideStore } from './libsql-side.adapter.js';
import { openDatabase, type OpenDatabase } from './open-database.js';
import { removeTurns } from './remove-turns.js';
import { translateSqliteError } from './sqlite-errors.js';
import { inList, Table, type Tables } from './table.js';

const unended = `status IN (${UNENDED_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** The journal in one SQLite file that this process alone uses. Every statement is synchronous and durable. */
export class LibsqlStore extends LibsqlSideStore implements Store {
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

  updateConversation(id: string, change: Parameters<Store['updateConversation']>[1]): Promise<void> {
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

  listTurns(conversationId: string, page: { before?: number; limit: number }): Promise<Turn[]> {
    const clauses = 'WHERE conversation_id = ? AND number < ? ORDER BY number DESC LIMIT ?';
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    return this.do(({ turns }) => turns.select(clauses, conversationId, before, page.limit).reverse());
  }

  listUnendedTurns(conversationId: string): Promise<Turn[]> {
    // Sorted here: with ORDER BY, SQLite walks the whole conversation by number instead of the few that are wanted.
    const clauses = `WHERE conversation_id = ? AND ${unended}`;
    const byNumber = (a: Turn, b: Turn) => a.number - b.number;
    return this.do(({ turns }) => turns.select(clauses, conversationId).sort(byNumber));
  }

  listUnendedTurnsOf(userId: string): Promise<Turn[]> {
    return this.do(({ turns }) => turns.select(`WHERE user_id = ? AND ${unended}`, userId));
  }

  listFirstTurns(conversationIds: string[]): Promise<Turn[]> {
    const clauses = `WHERE conversation_id ${inList} AND number = 1`;
    return this.do(({ turns }) => turns.select(clauses, JSON.stringify(conversationIds)));
  }

  countUnendedTurns(userId: string): Promise<number> {
    return this.do(({ turns }) => turns.measure('COUNT(*)', `WHERE user_id = ? AND ${unended}`, userId));
  }

  setTurnStatus(id: string, status: TurnStatus): Promise<void> {
    const change = (row: Turn) => (isEndedStatus(row.status) ? row : { ...row, status });
    return this.do(({ turns }) => void turns.update(id, change));
  }

  setTurnDue(id: string, dueAt: number | null): Promise<void> {
    return this.do(({ turns }) => void turns.update(id, (row) => ({ ...row, due_at: dueAt })));
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
