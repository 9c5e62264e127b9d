import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Store } from '#store';

type BindingStore = Pick<Store, 'getBinding' | 'putBinding'>;

/**
 * Values of one kind that a dialect keeps for its users, by a key of its own: any gateway reads them, also after a
 * restart. Last writer wins. What is stored and does not fit `schema` counts as not there.
 */
export class Bindings<Schema extends z.ZodType> {
  constructor(
    private readonly store: BindingStore,
    /** As in `DIALECTS`. */
    private readonly dialect: string,
    private readonly schema: Schema,
  ) {}

  async get(userId: string, key: string): Promise<z.output<Schema> | undefined> {
    const row = await this.store.getBinding(this.idOf(userId, key));
    return row ? this.read(row.value) : undefined;
  }

  async put(userId: string, key: string, value: z.input<Schema>): Promise<void> {
    await this.store.putBinding({
      _id: this.idOf(userId, key),
      user_id: userId,
      dialect: this.dialect,
      key,
      value: JSON.stringify(value),
      at: new Date().toISOString(),
    });
  }

  private read(value: string): z.output<Schema> | undefined {
    try {
      return this.schema.safeParse(JSON.parse(value)).data;
    } catch {
      return undefined;
    }
  }

  private idOf(userId: string, key: string): string {
    const parts = JSON.stringify([userId, this.dialect, key]);
    return `bind_${createHash('sha256').update(parts).digest('base64url')}`;
  }
}
