import type { Connection } from '#contracts';
import type { Inserted } from './inserted.js';

/** What a change sets; the rest of a row stays. */
export type ConnectionChange = Pick<Connection, 'version' | 'sealed' | 'at'> &
  Partial<Pick<Connection, 'server' | 'expires_at'>>;

/** The access that people have given us to MCP servers. Errors and durability are those of `Store`. */
export interface ConnectionStore {
  /** The first one with its `_id` wins. */
  insertConnection(row: Connection): Promise<Inserted<Connection>>;
  getConnection(id: string): Promise<Connection | null>;
  /**
   * Changes the row if it still has this version. Of several changes of one version exactly one gets true, so each
   * change needs a new, random version.
   */
  changeConnection(id: string, version: string, change: ConnectionChange): Promise<boolean>;
  /**
   * Removes the row, with `version` only if it still has that one. True for whoever removed it; of several callers, at
   * most one.
   */
  removeConnection(id: string, version?: string): Promise<boolean>;
  /** All of a user, in no order. */
  listConnections(userId: string, kind: Connection['kind']): Promise<Connection[]>;
  /** Removes those with `expires_at` before this, at most `limit`, oldest first. Returns how many were removed. */
  removeExpiredConnections(before: string, limit: number): Promise<number>;
}
