import { createHash, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Connection } from '#contracts';
import type { Store } from '#store';
import type { Clock } from '#time';
import type { TokenKeys } from './token-keys.js';

export type RowStore = Pick<
  Store,
  'insertConnection' | 'getConnection' | 'changeConnection' | 'removeConnection' | 'listConnections'
>;

export interface ConnectionDeps {
  store: RowStore;
  keys: TokenKeys;
  clock: Pick<Clock, 'wall'>;
  log: ConnectionLog;
}

export interface ConnectionLog {
  warn(fields: object, message: string): void;
}

/** The fields of a row that anybody with the store can read. */
export type About = Pick<Connection, 'user_id' | 'server' | 'issuer' | 'resource'>;

export interface Opened<T> {
  row: Connection;
  value: T;
}

const VERSION_BYTES = 16;
const UNOPENED =
  'what is stored of an account cannot be opened: TOKEN_KEYS must be the same for gateways and tool workers, and keep the earlier keys';

/** Rows of one kind, whose content is encrypted. A row that no key opens, or with another content, counts as missing. */
export class SealedRows<Schema extends z.ZodType> {
  constructor(
    private readonly deps: ConnectionDeps,
    private readonly kind: Connection['kind'],
    private readonly schema: Schema,
  ) {}

  async get(id: string): Promise<Opened<z.output<Schema>> | undefined> {
    const row = await this.deps.store.getConnection(id);
    return row?.kind === this.kind ? this.open(row) : undefined;
  }

  async listOf(userId: string): Promise<Connection[]> {
    return this.deps.store.listConnections(userId, this.kind);
  }

  /** The first one wins. `expiresInMs`: it may be removed after this time. */
  async insert(
    id: string,
    about: About,
    value: z.input<Schema>,
    expiresInMs?: number,
  ): Promise<{ won: boolean; row: Connection }> {
    const now = this.deps.clock.wall();
    const expires = expiresInMs === undefined ? {} : { expires_at: iso(now + expiresInMs) };
    const sealed = this.seal(id, value);
    const row = {
      _id: id,
      kind: this.kind,
      ...about,
      version: newVersion(),
      sealed,
      at: iso(now),
      ...expires,
    };
    return this.deps.store.insertConnection(row);
  }

  /** False when the row was changed or removed since it was read. */
  async change(
    { _id, version }: Pick<Connection, '_id' | 'version'>,
    value: z.input<Schema>,
  ): Promise<boolean> {
    const at = iso(this.deps.clock.wall());
    const sealed = this.seal(_id, value);
    return this.deps.store.changeConnection(_id, version, { version: newVersion(), sealed, at });
  }

  /** Replaces what is there, whatever it is. */
  async put(id: string, about: About, value: z.input<Schema>): Promise<void> {
    for (;;) {
      const { won, row } = await this.insert(id, about, value);
      if (won || (await this.change(row, value))) return;
    }
  }

  private seal(id: string, value: z.input<Schema>): string {
    return this.deps.keys.seal(JSON.stringify(value), this.placeOf(id));
  }

  private open(row: Connection): Opened<z.output<Schema>> | undefined {
    const text = this.deps.keys.open(row.sealed, this.placeOf(row._id));
    if (text === undefined) {
      const fields = { kind: this.kind, server: row.server };
      this.deps.log.warn(fields, UNOPENED);
      return undefined;
    }
    const parsed = this.schema.safeParse(JSON.parse(text));
    return parsed.success ? { row, value: parsed.data } : undefined;
  }

  private placeOf(id: string): string {
    return `${this.kind} ${id}`;
  }
}

/** An id that is safe in a route. */
export function idOf(kind: Connection['kind'], ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('base64url');
}

export function newVersion(): string {
  return randomBytes(VERSION_BYTES).toString('base64url');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
