import type { Time } from '#time';
import { LibsqlDatabase } from './libsql/libsql.adapter.js';
import { MongoDatabase } from './mongo/mongo.adapter.js';
import { RowsStore } from './rows-store/rows-store.js';
import type { Store } from './port/store.port.js';

/**
 * `url`: a MongoDB connection string; `dataDir`: the folder of the SQLite file, `:memory:` for none. `isReadOnly`: opens
 * what is there and creates nothing.
 */
export type StoreConfig = (({ url: string } & Time) | { dataDir: string }) & { isReadOnly?: boolean };

/** Creates a store that is not open yet. `open()` loads the driver, so a process loads only the driver that it uses. */
export function createStore(config: StoreConfig): Store {
  return 'url' in config
    ? new RowsStore(new MongoDatabase(config.url, config, config.isReadOnly))
    : new RowsStore(new LibsqlDatabase(config.dataDir, config.isReadOnly));
}
