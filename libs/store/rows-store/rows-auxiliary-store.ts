import type {
  Account,
  ApprovalRequest,
  Artifact,
  AuditRecord,
  Binding,
  DeadLetter,
  Definition,
  ListedDefinition,
  Fact,
  Secret,
  Switch,
} from '#contracts';
import type { AuditQuery, AuxiliaryStore, Inserted, TakenField } from '../port/auxiliary-store.port.js';
import { RowsConnectionStore } from './rows-connection-store.js';
import { putRow } from './rows-usage-store.js';

/** All but its schemas. */
const LISTED = [
  ...(['_id', 'tool', 'toolset', 'version', 'breaks', 'state', 'at'] as const),
  ...(['accepted_by', 'accepted_at'] as const),
] as const;
const NEWEST_FIRST = { at: 'desc', _id: 'desc' } as const;

/** Everything stored besides the journal. */
export abstract class RowsAuxiliaryStore extends RowsConnectionStore implements AuxiliaryStore {
  async putArtifact(row: Artifact): Promise<void> {
    await this.rows.artifacts.insert(row);
  }

  async getArtifact(id: string): Promise<Artifact | null> {
    return this.rows.artifacts.get(id);
  }

  async putAuditRecords(rows: AuditRecord[]): Promise<void> {
    await this.rows.audit_records.insertMany(rows, 'skip');
  }

  async listAuditRecords({ before, limit, ...given }: AuditQuery): Promise<AuditRecord[]> {
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    const equals = Object.fromEntries(set) as Omit<AuditQuery, 'before' | 'limit'>;
    const where = before === undefined ? {} : { _id: { lt: before } };
    return this.rows.audit_records.find({ equals, where, order: { _id: 'desc' }, limit });
  }

  async removeOldAuditRecords(before: string, limit: number): Promise<number> {
    return this.rows.audit_records.remove({ where: { _id: { lt: before } }, order: { _id: 'asc' }, limit });
  }

  async putDeadLetter(row: DeadLetter): Promise<void> {
    await this.rows.dead_letters.insert(row);
  }

  async listDeadLetters(limit: number): Promise<DeadLetter[]> {
    return this.rows.dead_letters.find({ order: NEWEST_FIRST, limit });
  }

  async listDeadLettersOfTurn(turnId: string, limit: number): Promise<DeadLetter[]> {
    return this.rows.dead_letters.find({ equals: { turn_id: turnId }, order: NEWEST_FIRST, limit });
  }

  async getDeadLetter(id: string): Promise<DeadLetter | null> {
    return this.rows.dead_letters.get(id);
  }

  async noteReplay(_id: string, replay: { replayed_at: string; replayed_by: string }): Promise<void> {
    await this.rows.dead_letters.change({ equals: { _id } }, { set: replay });
  }

  async removeDeadLetter(_id: string): Promise<void> {
    await this.rows.dead_letters.remove({ equals: { _id } });
  }

  async removeOldDeadLetters(before: string, limit: number): Promise<number> {
    return this.rows.dead_letters.remove({ where: { at: { lt: before } }, order: { at: 'asc' }, limit });
  }

  async putFact(row: Fact, limit: number): Promise<'put' | 'full'> {
    const { facts } = this.rows;
    const { _id, user_id, text, at } = row;
    for (;;) {
      if (await facts.change({ equals: { _id } }, { set: { text, at } })) return 'put';
      const inserted = await facts.insertWithin(row, { of: { user_id }, limit });
      if (inserted === 'full') return 'full';
      // Of parallel inserts of the same fact only one succeeds; the others update it.
      if (inserted === 'inserted') return 'put';
    }
  }

  async listFacts(userId: string): Promise<Fact[]> {
    return (await this.rows.facts.find({ equals: { user_id: userId } })).sort(byNewest);
  }

  async removeFact(_id: string): Promise<void> {
    await this.rows.facts.remove({ equals: { _id } });
  }

  async insertAccount(row: Account): Promise<'inserted' | TakenField> {
    const { _id, email_key, username_key, look_key, number } = row;
    const inserted = await this.rows.users.insertUnless<TakenField>(row, [
      { equals: { _id } },
      { equals: { email_key }, is: 'email' },
      { equals: { username_key }, is: 'username' },
      ...(look_key === undefined ? [] : [{ equals: { look_key }, is: 'look' } as const]),
      { equals: { number }, is: 'number' },
    ]);
    if (typeof inserted === 'string') return inserted;
    // Each password has a random salt, so a row with this id and this password is this process's insert whose answer
    // was lost.
    return inserted.row.password === row.password ? 'inserted' : 'id';
  }

  async getAccount(id: string): Promise<Account | null> {
    return this.rows.users.get(id);
  }

  async findAccount(field: 'email_key' | 'username_key' | 'look_key', key: string): Promise<Account | null> {
    return (await this.rows.users.find({ equals: { [field]: key } }))[0] ?? null;
  }

  async lastAccountNumber(): Promise<number> {
    const [last] = await this.rows.users.findParts({ order: { number: 'desc' }, limit: 1 }, ['number']);
    return last?.number ?? 0;
  }

  async listAccounts({ after, limit }: { after: number; limit: number }): Promise<Account[]> {
    return this.rows.users.find({ where: { number: { gt: after } }, order: { number: 'asc' }, limit });
  }

  async updateAccount(_id: string, change: Parameters<AuxiliaryStore['updateAccount']>[1]): Promise<void> {
    await this.rows.users.change({ equals: { _id } }, { set: change });
  }

  async keepLook(_id: string, look_key: string): Promise<void> {
    await this.rows.users.change({ equals: { _id, look_key: null } }, { set: { look_key } });
  }

  async keepSecret(row: Secret): Promise<Secret> {
    return (await this.rows.secrets.insert(row)).row;
  }

  async putBinding(row: Binding): Promise<void> {
    await putRow(this.rows.bindings, row, ['value', 'at', 'conversation_id', 'expires_at']);
  }

  async insertBinding(row: Binding): Promise<Inserted<Binding>> {
    return this.rows.bindings.insert(row);
  }

  async getBinding(id: string): Promise<Binding | null> {
    return this.rows.bindings.get(id);
  }

  async listBindings(userId: string, dialect: string): Promise<Binding[]> {
    return this.rows.bindings.find({ equals: { user_id: userId, dialect } });
  }

  async removeBinding(_id: string): Promise<void> {
    await this.rows.bindings.remove({ equals: { _id } });
  }

  async prolongBinding(_id: string, expires_at: string): Promise<void> {
    await this.rows.bindings.change({ equals: { _id } }, { set: { expires_at } });
  }

  async removeBindingsOf(conversationId: string): Promise<void> {
    await this.rows.bindings.remove({ equals: { conversation_id: conversationId } });
  }

  async keepApprovalRequest(row: ApprovalRequest): Promise<void> {
    await this.rows.approval_requests.insert(row);
  }

  async listApprovalRequests(limit: number): Promise<ApprovalRequest[]> {
    return this.rows.approval_requests.find({ order: { at: 'asc' }, limit });
  }

  async removeApprovalRequests(ids: string[]): Promise<void> {
    await this.rows.approval_requests.remove({ among: { field: '_id', values: ids } });
  }

  async removeApprovalRequestsBefore(dueAt: number, limit: number): Promise<number> {
    return this.rows.approval_requests.remove({ where: { due_at: { lt: dueAt } }, limit });
  }

  async putSwitch(row: Switch): Promise<void> {
    const { switches } = this.rows;
    const { _id, by, at, reason, level } = row;
    const unset = (['reason', 'level'] as const).filter((field) => row[field] === undefined);
    const change = { set: { by, at, reason, level }, unset };
    // Loops because the row may be removed between the two operations.
    while (!(await switches.insert(row)).won && !(await switches.change({ equals: { _id } }, change)));
  }

  async listSwitches(): Promise<Switch[]> {
    return this.rows.switches.find({ order: { _id: 'asc' } });
  }

  async removeSwitch(_id: string): Promise<void> {
    await this.rows.switches.remove({ equals: { _id } });
  }

  async listDefinitions(tools: string[]): Promise<ListedDefinition[]> {
    const query = { among: { field: 'tool', values: tools } } as const;
    return (await this.rows.definitions.findParts(query, LISTED)).map(withoutNulls);
  }

  async getDefinition(id: string): Promise<Definition | null> {
    return this.rows.definitions.get(id);
  }

  async insertDefinition(row: Definition, limit: number): Promise<'inserted' | 'taken' | 'full'> {
    return this.rows.definitions.insertWithin(row, { of: { toolset: row.toolset }, limit });
  }

  async acceptDefinitions(
    ids: string[],
    by: Required<Pick<Definition, 'accepted_by' | 'accepted_at'>>,
  ): Promise<boolean> {
    const pending = { equals: { state: 'pending' }, among: { field: '_id', values: ids } } as const;
    return this.rows.definitions.change(pending, { set: { state: 'accepted', ...by } });
  }

  async removeExpiredBindings(before: string, limit: number): Promise<number> {
    const where = { expires_at: { lt: before } };
    return this.rows.bindings.remove({ where, order: { expires_at: 'asc' }, limit });
  }
}

/** A user has few facts, so they are sorted here and need no index. */
function byNewest(a: Fact, b: Fact): number {
  return a.at === b.at ? compare(a._id, b._id) : compare(b.at, a.at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** A database may give null for a field that the row lacks. */
function withoutNulls({ accepted_by, accepted_at, ...row }: ListedDefinition): ListedDefinition {
  return {
    ...row,
    ...(accepted_by == null ? {} : { accepted_by }),
    ...(accepted_at == null ? {} : { accepted_at }),
  };
}
