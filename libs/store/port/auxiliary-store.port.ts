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
import type { ConnectionStore } from './connection-store.port.js';
import type { Inserted } from './inserted.js';
import type { UsageStore } from './usage-store.port.js';

export type { Inserted } from './inserted.js';

/** The unique field whose value another account already has. */
export type TakenField = 'id' | 'email' | 'username' | 'look' | 'number';

export interface AuditQuery extends Partial<Pick<AuditRecord, 'user_id' | 'conversation_id' | 'tool'>> {
  before?: string;
  limit: number;
}

/** Everything stored besides the journal. Errors and durability are those of `Store`. */
export interface AuxiliaryStore extends UsageStore, ConnectionStore {
  /** Inserts the artifact; an existing one stays unchanged. */
  putArtifact(row: Artifact): Promise<void>;
  getArtifact(id: string): Promise<Artifact | null>;
  /** Inserts the records in one write; existing ones stay unchanged. */
  putAuditRecords(rows: AuditRecord[]): Promise<void>;
  /** Newest first, those whose id is below `before`: an id, or a time such as `2026-03-01`. All given values must match. */
  listAuditRecords(query: AuditQuery): Promise<AuditRecord[]>;
  /** Removes records from before this time, at most `limit`, oldest first. Returns how many were removed. */
  removeOldAuditRecords(before: string, limit: number): Promise<number>;
  putDeadLetter(row: DeadLetter): Promise<void>;
  /** Newest first. */
  listDeadLetters(limit: number): Promise<DeadLetter[]>;
  /** Dead letters about this turn, newest first. */
  listDeadLettersOfTurn(turnId: string, limit: number): Promise<DeadLetter[]>;
  getDeadLetter(id: string): Promise<DeadLetter | null>;
  /** Records that the dead letter was put back into its queue; the last record stays. */
  noteReplay(id: string, replay: { replayed_at: string; replayed_by: string }): Promise<void>;
  removeDeadLetter(id: string): Promise<void>;
  /** Removes dead letters with `at` before this, at most `limit`, oldest first. Returns how many were removed. */
  removeOldDeadLetters(before: string, limit: number): Promise<number>;

  /**
   * Inserts the fact or sets its text; the last writer wins. `full`: the fact would exceed `limit` facts of this user,
   * and is not in the store. When all parallel writes have been answered, the limit is never exceeded.
   */
  putFact(row: Fact, limit: number): Promise<'put' | 'full'>;
  /** All facts of a user, newest first. */
  listFacts(userId: string): Promise<Fact[]>;
  removeFact(id: string): Promise<void>;

  /**
   * Makes one attempt with `row.number`. `number`: another account has that number, try the next one. The other unique
   * fields are checked first, because no other number helps when one of them is taken.
   */
  insertAccount(row: Account): Promise<'inserted' | TakenField>;
  getAccount(id: string): Promise<Account | null>;
  findAccount(field: 'email_key' | 'username_key' | 'look_key', key: string): Promise<Account | null>;
  /** 0 if there are no accounts. */
  lastAccountNumber(): Promise<number>;
  /** Accounts by number, ascending. */
  listAccounts(page: { after: number; limit: number }): Promise<Account[]>;
  updateAccount(id: string, change: Partial<Pick<Account, 'role' | 'roles' | 'is_active'>>): Promise<void>;
  /** Sets the `look_key` of an account that lacks it, unless another account has that key. */
  keepLook(id: string, lookKey: string): Promise<void>;
  /** Inserts the secret if there is none with its `_id`. Returns the stored one, which is the first. */
  keepSecret(row: Secret): Promise<Secret>;
  /** Inserts the binding or sets the row's fields; the last writer wins. Fields that the row lacks stay unchanged. */
  putBinding(row: Binding): Promise<void>;
  /** Inserts the binding; the first one with this id wins. */
  insertBinding(row: Binding): Promise<Inserted<Binding>>;
  getBinding(id: string): Promise<Binding | null>;
  /** All bindings of a user in a dialect, in no order. */
  listBindings(userId: string, dialect: string): Promise<Binding[]>;
  removeBinding(id: string): Promise<void>;
  /** Extends a binding. A binding that was removed meanwhile stays removed. */
  prolongBinding(id: string, expiresAt: string): Promise<void>;
  /** Removes all bindings of a conversation. */
  removeBindingsOf(conversationId: string): Promise<void>;
  /** Sets the switch; the last writer wins. */
  /** Does nothing when it is there. */
  keepApprovalRequest(row: ApprovalRequest): Promise<void>;
  /** Oldest first. */
  listApprovalRequests(limit: number): Promise<ApprovalRequest[]>;
  removeApprovalRequests(ids: string[]): Promise<void>;
  /** Removes at most `limit` whose `due_at` is before this time; returns how many. */
  removeApprovalRequestsBefore(dueAt: number, limit: number): Promise<number>;

  putSwitch(row: Switch): Promise<void>;
  /** All of them, by `_id`: as many as operators have set. */
  listSwitches(): Promise<Switch[]>;
  removeSwitch(id: string): Promise<void>;
  /** Every definition of these tools that was ever announced, in no order, without its schemas. */
  listDefinitions(tools: string[]): Promise<ListedDefinition[]>;
  getDefinition(id: string): Promise<Definition | null>;
  /**
   * The first one with its `_id` wins. `full`: its toolset would have more than `limit`, and it is not in the store. When
   * all parallel inserts have been answered, the limit is never exceeded.
   */
  insertDefinition(row: Definition, limit: number): Promise<'inserted' | 'taken' | 'full'>;
  /** Accepts those of them that are pending; false if none is. */
  acceptDefinitions(
    ids: string[],
    by: Required<Pick<Definition, 'accepted_by' | 'accepted_at'>>,
  ): Promise<boolean>;
  /** Removes bindings with `expires_at` before this, at most `limit`, oldest first. Returns how many were removed. */
  removeExpiredBindings(before: string, limit: number): Promise<number>;
}
