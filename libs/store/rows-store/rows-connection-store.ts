import type { Connection } from '#contracts';
import type { Inserted } from '../port/auxiliary-store.port.js';
import type { ConnectionChange, ConnectionStore } from '../port/connection-store.port.js';
import { RowsUsageStore } from './rows-usage-store.js';

/** The access that people have given us to MCP servers. */
export abstract class RowsConnectionStore extends RowsUsageStore implements ConnectionStore {
  async insertConnection(row: Connection): Promise<Inserted<Connection>> {
    return this.rows.connections.insert(row);
  }

  async getConnection(id: string): Promise<Connection | null> {
    return this.rows.connections.get(id);
  }

  async changeConnection(_id: string, version: string, change: ConnectionChange): Promise<boolean> {
    if (await this.rows.connections.change({ equals: { _id, version } }, { set: change })) return true;
    // The answer to this change may have been lost: then the row has the version that only this change gives it.
    return (await this.rows.connections.get(_id))?.version === change.version;
  }

  async removeConnection(_id: string, version?: string): Promise<boolean> {
    const equals = version === undefined ? { _id } : { _id, version };
    return (await this.rows.connections.remove({ equals })) > 0;
  }

  async listConnections(userId: string, kind: Connection['kind']): Promise<Connection[]> {
    return this.rows.connections.find({ equals: { user_id: userId, kind } });
  }

  async removeExpiredConnections(before: string, limit: number): Promise<number> {
    const where = { expires_at: { lt: before } };
    return this.rows.connections.remove({ where, order: { expires_at: 'asc' }, limit });
  }
}
