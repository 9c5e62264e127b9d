import type { Account, Artifact, Binding, DeadLetter, Fact, Secret } from '#contracts';
import { byNewest } from '../newest-first.js';
import type { Inserted, SideStore, TakenField } from '../side-store.port.js';
import { insertAccount } from './insert-account.js';
import { MongoUsageStore } from './mongo-usage.adapter.js';

/** What is kept besides the journal, in MongoDB. */
export abstract class MongoSideStore extends MongoUsageStore implements SideStore {
  async putArtifact(row: Artifact): Promise<void> {
    await this.rows.artifacts.insert(row);
  }

  async getArtifact(id: string): Promise<Artifact | null> {
    return this.rows.artifacts.get(id);
  }

  async putDeadLetter(row: DeadLetter): Promise<void> {
    await this.rows.dead_letters.insert(row);
  }

  async listDeadLetters(limit: number): Promise<DeadLetter[]> {
    return this.rows.dead_letters.find({ sort: { at: -1, _id: -1 }, limit });
  }

  async listDeadLettersOfTurn(turnId: string, limit: number): Promise<DeadLetter[]> {
    return this.rows.dead_letters.find({ equals: { turn_id: turnId }, sort: { at: -1, _id: -1 }, limit });
  }

  async getDeadLetter(id: string): Promise<DeadLetter | null> {
    return this.rows.dead_letters.get(id);
  }

  async noteReplay(id: string, replay: { replayed_at: string; replayed_by: string }): Promise<void> {
    await this.rows.dead_letters.set({ equals: { _id: id } }, replay);
  }

  async removeDeadLetter(id: string): Promise<void> {
    await this.rows.dead_letters.remove(id);
  }

  async removeOldDeadLetters(before: string, limit: number): Promise<number> {
    const { dead_letters } = this.rows;
    const old = await dead_letters.find({ conditions: { at: { $lt: before } }, sort: { at: 1 }, limit });
    await dead_letters.removeAmong(
      '_id',
      old.map(({ _id }) => _id),
    );
    return old.length;
  }

  async putFact(row: Fact, limit: number): Promise<'put' | 'full'> {
    const { facts } = this.rows;
    const { _id, user_id, text, at } = row;
    const mine = { equals: { user_id } };
    for (;;) {
      if (await facts.set({ equals: { _id } }, { text, at })) return 'put';
      if ((await facts.count(mine)) >= limit) return 'full';
      // Of the same fact at once only one is inserted; the others write to it.
      if (!(await facts.insert(row)).won) continue;
      // Each sees all that were inserted before it: one that is too many sees that, and removes itself.
      if ((await facts.count(mine)) <= limit) return 'put';
      await facts.remove(_id);
      return 'full';
    }
  }

  async listFacts(userId: string): Promise<Fact[]> {
    return (await this.rows.facts.find({ equals: { user_id: userId } })).sort(byNewest);
  }

  async removeFact(id: string): Promise<void> {
    await this.rows.facts.remove(id);
  }

  async insertAccount(row: Account): Promise<'inserted' | TakenField> {
    return insertAccount(this.rows.users, row);
  }

  async getAccount(id: string): Promise<Account | null> {
    return this.rows.users.get(id);
  }

  async findAccount(field: 'email_key' | 'username_key' | 'look_key', key: string): Promise<Account | null> {
    return (await this.rows.users.find({ equals: { [field]: key } }))[0] ?? null;
  }

  async lastAccountNumber(): Promise<number> {
    return (await this.rows.users.find({ sort: { number: -1 }, limit: 1 }))[0]?.number ?? 0;
  }

  async listAccounts({ after, limit }: { after: number; limit: number }): Promise<Account[]> {
    return this.rows.users.find({ conditions: { number: { $gt: after } }, sort: { number: 1 }, limit });
  }

  async updateAccount(id: string, change: Parameters<SideStore['updateAccount']>[1]): Promise<void> {
    await this.rows.users.set({ equals: { _id: id } }, change);
  }

  async keepLook(_id: string, look_key: string): Promise<void> {
    if (await this.findAccount('look_key', look_key)) return;
    try {
      await this.rows.users.set({ equals: { _id, look_key: null } }, { look_key });
    } catch (error) {
      // Another account got it between the two.
      if (!(await this.findAccount('look_key', look_key))) throw error;
    }
  }

  async keepSecret(row: Secret): Promise<Secret> {
    return (await this.rows.secrets.insert(row)).row;
  }

  async putBinding(row: Binding): Promise<void> {
    const { bindings } = this.rows;
    const { _id, value, at, conversation_id, expires_at } = row;
    const change = { value, at, conversation_id, expires_at };
    // Removed between the two, it is inserted after all.
    while (!(await bindings.insert(row)).won && !(await bindings.set({ equals: { _id } }, change)));
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

  async removeBinding(id: string): Promise<void> {
    await this.rows.bindings.remove(id);
  }

  async prolongBinding(_id: string, expires_at: string): Promise<void> {
    await this.rows.bindings.set({ equals: { _id } }, { expires_at });
  }

  async removeBindingsOf(conversationId: string): Promise<void> {
    await this.rows.bindings.removeAll({ conversation_id: conversationId });
  }

  async removeExpiredBindings(before: string, limit: number): Promise<number> {
    const { bindings } = this.rows;
    const conditions = { expires_at: { $lt: before } };
    const expired = await bindings.find({ conditions, sort: { expires_at: 1 }, limit });
    // Whoever is prolonged meanwhile stays.
    await Promise.all(expired.map(({ _id, expires_at }) => bindings.removeAll({ _id, expires_at })));
    return expired.length;
  }
}
