import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Binding } from '#contracts';
import type { Store } from '#store';
import type { Clock } from '#time';

export type BindingStore = Pick<Store, 'getBinding' | 'putBinding' | 'insertBinding' | 'prolongBinding'>;

export interface BindingOptions {
  /** A value is removed after this time without a read or write. Default: it stays. */
  keptMs?: number;
  clock: Pick<Clock, 'wall'>;
}

/** Shortest time between two extensions of a value's life by reads. */
const PROLONGED_AFTER_MS = 24 * 3_600_000;

/**
 * Values of one kind that a dialect keeps for its users, by its own key. Any gateway reads them, also after a restart.
 * The last writer wins. A stored value that does not fit `schema` counts as missing.
 */
export class Bindings<Schema extends z.ZodType> {
  constructor(
    private readonly store: BindingStore,
    /** As in `DIALECTS`. */
    private readonly dialect: string,
    private readonly schema: Schema,
    private readonly options: BindingOptions,
  ) {}

  async get(userId: string, key: string): Promise<z.output<Schema> | undefined> {
    const row = await this.store.getBinding(this.idOf(userId, key));
    if (!row) return undefined;
    const { keptMs } = this.options;
    const isOld = row.expires_at !== undefined && keptMs !== undefined && this.isOld(row.expires_at, keptMs);
    if (isOld) await this.store.prolongBinding(row._id, this.after(keptMs));
    return this.read(row.value);
  }

  async put(userId: string, key: string, value: z.input<Schema>): Promise<void> {
    await this.store.putBinding(this.rowOf(userId, key, value));
  }

  /** The first writer wins. Returns the stored value. */
  async insert(userId: string, key: string, value: z.input<Schema>): Promise<z.output<Schema>> {
    const mine = this.rowOf(userId, key, value);
    const { row } = await this.store.insertBinding(mine);
    const standing = this.read(row.value);
    if (standing !== undefined) return standing;
    await this.store.putBinding(mine);
    return this.schema.parse(value);
  }

  private rowOf(userId: string, key: string, value: z.input<Schema>): Binding {
    const { keptMs } = this.options;
    return {
      _id: this.idOf(userId, key),
      user_id: userId,
      dialect: this.dialect,
      key,
      value: JSON.stringify(value),
      at: this.after(0),
      ...(keptMs === undefined ? {} : { expires_at: this.after(keptMs) }),
    };
  }

  private isOld(expiresAt: string, keptMs: number): boolean {
    return Date.parse(expiresAt) < this.options.clock.wall() + keptMs - PROLONGED_AFTER_MS;
  }

  private after(ms: number): string {
    return new Date(this.options.clock.wall() + ms).toISOString();
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
