import type { Account, Artifact, Binding, DeadLetter, Fact, Secret } from '#contracts';
import { byNewest } from '../newest-first.js';
import type { Inserted, SideStore, TakenField } from '../side-store.port.js';
import { LibsqlUsageStore } from './libsql-usage.adapter.js';

/** What is kept besides the journal, in SQLite. */
export abstract class LibsqlSideStore extends LibsqlUsageStore implements SideStore {
  putArtifact(row: Artifact): Promise<void> {
    return this.do(({ artifacts }) => void artifacts.insert(row));
  }

  getArtifact(id: string): Promise<Artifact | null> {
    return this.do(({ artifacts }) => artifacts.get(id));
  }

  putDeadLetter(row: DeadLetter): Promise<void> {
    return this.do((tables) => void tables.dead_letters.insert(row));
  }

  listDeadLetters(limit: number): Promise<DeadLetter[]> {
    return this.do((tables) => tables.dead_letters.select('ORDER BY at DESC, _id DESC LIMIT ?', limit));
  }

  listDeadLettersOfTurn(turnId: string, limit: number): Promise<DeadLetter[]> {
    const clauses = 'WHERE turn_id = ? ORDER BY at DESC, _id DESC LIMIT ?';
    return this.do((tables) => tables.dead_letters.select(clauses, turnId, limit));
  }

  getDeadLetter(id: string): Promise<DeadLetter | null> {
    return this.do((tables) => tables.dead_letters.get(id));
  }

  noteReplay(id: string, replay: { replayed_at: string; replayed_by: string }): Promise<void> {
    return this.do((tables) => void tables.dead_letters.update(id, (row) => ({ ...row, ...replay })));
  }

  removeDeadLetter(id: string): Promise<void> {
    return this.do((tables) => tables.dead_letters.remove(id));
  }

  removeOldDeadLetters(before: string, limit: number): Promise<number> {
    return this.do(({ dead_letters }) => {
      const old = dead_letters.select('WHERE at < ? ORDER BY at LIMIT ?', before, limit);
      for (const { _id } of old) dead_letters.remove(_id);
      return old.length;
    });
  }

  putFact(row: Fact, limit: number): Promise<'put' | 'full'> {
    return this.do(({ facts }) => {
      if (facts.update(row._id, () => row)) return 'put';
      if (facts.measure('COUNT(*)', 'WHERE user_id = ?', row.user_id) >= limit) return 'full';
      facts.insert(row);
      return 'put';
    });
  }

  listFacts(userId: string): Promise<Fact[]> {
    return this.do(({ facts }) => facts.select('WHERE user_id = ?', userId).sort(byNewest));
  }

  removeFact(id: string): Promise<void> {
    return this.do(({ facts }) => facts.remove(id));
  }

  insertAccount(row: Account): Promise<'inserted' | TakenField> {
    return this.do(({ users }) => {
      if (users.insert(row)) return 'inserted';
      if (users.get(row._id)) return 'id';
      if (users.select('WHERE email_key = ?', row.email_key)[0]) return 'email';
      if (users.select('WHERE username_key = ?', row.username_key)[0]) return 'username';
      return users.select('WHERE look_key = ?', row.look_key ?? null)[0] ? 'look' : 'number';
    });
  }

  getAccount(id: string): Promise<Account | null> {
    return this.do(({ users }) => users.get(id));
  }

  findAccount(field: 'email_key' | 'username_key' | 'look_key', key: string): Promise<Account | null> {
    return this.do(({ users }) => users.select(`WHERE ${field} = ?`, key)[0] ?? null);
  }

  lastAccountNumber(): Promise<number> {
    return this.do(({ users }) => users.measure('MAX(number)', ''));
  }

  listAccounts({ after, limit }: { after: number; limit: number }): Promise<Account[]> {
    return this.do(({ users }) => users.select('WHERE number > ? ORDER BY number LIMIT ?', after, limit));
  }

  updateAccount(id: string, change: Parameters<SideStore['updateAccount']>[1]): Promise<void> {
    return this.do(({ users }) => void users.update(id, (row) => ({ ...row, ...change })));
  }

  keepLook(id: string, look_key: string): Promise<void> {
    return this.do(({ users }) => {
      const isFree = !users.select('WHERE look_key = ?', look_key)[0];
      if (isFree && users.get(id)?.look_key === undefined) users.update(id, (row) => ({ ...row, look_key }));
    });
  }

  keepSecret(row: Secret): Promise<Secret> {
    return this.do(({ secrets }) => secrets.insertOrRead(row).row);
  }

  putBinding(row: Binding): Promise<void> {
    return this.do(
      ({ bindings }) =>
        void (bindings.insert(row) || bindings.update(row._id, (stored) => ({ ...stored, ...row }))),
    );
  }

  insertBinding(row: Binding): Promise<Inserted<Binding>> {
    return this.do(({ bindings }) => bindings.insertOrRead(row));
  }

  getBinding(id: string): Promise<Binding | null> {
    return this.do(({ bindings }) => bindings.get(id));
  }

  listBindings(userId: string, dialect: string): Promise<Binding[]> {
    return this.do(({ bindings }) => bindings.select('WHERE user_id = ? AND dialect = ?', userId, dialect));
  }

  removeBinding(id: string): Promise<void> {
    return this.do(({ bindings }) => bindings.remove(id));
  }

  prolongBinding(id: string, expires_at: string): Promise<void> {
    return this.do(({ bindings }) => void bindings.update(id, (row) => ({ ...row, expires_at })));
  }

  removeBindingsOf(conversationId: string): Promise<void> {
    return this.do(({ bindings }) => bindings.removeWhere('conversation_id = ?', conversationId));
  }

  removeExpiredBindings(before: string, limit: number): Promise<number> {
    return this.do(({ bindings }) => {
      const expired = bindings.select('WHERE expires_at < ? ORDER BY expires_at LIMIT ?', before, limit);
      for (const { _id } of expired) bindings.remove(_id);
      return expired.length;
    });
  }
}
