import type { Account, Artifact, Binding, DeadLetter, Fact, Secret } from '#contracts';
import type { UsageStore } from './usage-store.port.js';

/** An insert that exactly one process wins: `row` is what stands in the store, mine or the winner's. */
export type Inserted<T> = { won: boolean; row: T };

/** Which of its unique fields another account has. */
export type TakenField = 'id' | 'email' | 'username' | 'look' | 'number';

/** What is kept besides the journal. Errors and durability are those of the `Store`. */
export interface SideStore extends UsageStore {
  /** One that is there stays as it is. */
  putArtifact(row: Artifact): Promise<void>;
  getArtifact(id: string): Promise<Artifact | null>;
  putDeadLetter(row: DeadLetter): Promise<void>;
  /** Newest first. */
  listDeadLetters(limit: number): Promise<DeadLetter[]>;
  /** Those that were about this turn, newest first. */
  listDeadLettersOfTurn(turnId: string, limit: number): Promise<DeadLetter[]>;
  getDeadLetter(id: string): Promise<DeadLetter | null>;
  /** Notes that it was put back into its queue; the last note stays. */
  noteReplay(id: string, replay: { replayed_at: string; replayed_by: string }): Promise<void>;
  removeDeadLetter(id: string): Promise<void>;
  /** Those whose `at` is before this, `limit` at most, oldest first; how many there were. */
  removeOldDeadLetters(before: string, limit: number): Promise<number>;

  /**
   * A fact of this id gets the text; last writer wins. `full`: it would be one more than `limit` of this user, and is
   * not there. However many write at once, there are never more when all have been answered.
   */
  putFact(row: Fact, limit: number): Promise<'put' | 'full'>;
  /** All of a user, newest first. */
  listFacts(userId: string): Promise<Fact[]>;
  removeFact(id: string): Promise<void>;

  /**
   * One try of `row.number`: `number` means that another account has it, try the next. The others are looked at first,
   * so that they say what is taken for good.
   */
  insertAccount(row: Account): Promise<'inserted' | TakenField>;
  getAccount(id: string): Promise<Account | null>;
  findAccount(field: 'email_key' | 'username_key' | 'look_key', key: string): Promise<Account | null>;
  /** 0 if there is none. */
  lastAccountNumber(): Promise<number>;
  /** By number, ascending. */
  listAccounts(page: { after: number; limit: number }): Promise<Account[]>;
  updateAccount(id: string, change: Partial<Pick<Account, 'role' | 'is_active'>>): Promise<void>;
  /** Gives an account that lacks it a `look_key`, unless another account has that one. */
  keepLook(id: string, lookKey: string): Promise<void>;
  /** The secret of this `_id` that stands: the first one. */
  keepSecret(row: Secret): Promise<Secret>;
  /** A binding of this id gets what the row has; last writer wins. What the row lacks stays. */
  putBinding(row: Binding): Promise<void>;
  /** The first one of this id wins. */
  insertBinding(row: Binding): Promise<Inserted<Binding>>;
  getBinding(id: string): Promise<Binding | null>;
  /** All of a user in a dialect, in no order. */
  listBindings(userId: string, dialect: string): Promise<Binding[]>;
  removeBinding(id: string): Promise<void>;
  /** One that has gone meanwhile stays away. */
  prolongBinding(id: string, expiresAt: string): Promise<void>;
  /** All that belong to a conversation. */
  removeBindingsOf(conversationId: string): Promise<void>;
  /** Those whose `expires_at` is before this, `limit` at most, oldest first; how many there were. */
  removeExpiredBindings(before: string, limit: number): Promise<number>;
}
