import type { Time } from '#time';
import type { AllRows, RowDatabase } from '../port/rows.port.js';
import { StoreUnavailableError } from '../port/store-errors.js';
import type { Missing } from '../port/store.port.js';
import type { OpenCollections } from './open-collections.js';
import { retryWithin } from './retry-within.js';

const PING_BUDGET_MS = 2_000;
/** For the indexes of all collections. */
const LOOK_BUDGET_MS = 20_000;

/** MongoDB, or a database with its protocol: single-document writes with majority write concern, no transactions. */
export class MongoDatabase implements RowDatabase {
  private current?: OpenCollections;
  private readonly url: string;
  private readonly clocks: Time;

  /** @param url connection string; the database is `switchyard` unless it names one */
  constructor(
    url: string,
    time: Time,
    private readonly isReadOnly = false,
  ) {
    this.url = url;
    this.clocks = time;
  }

  async open(): Promise<void> {
    const { openCollections } = await import('./open-collections.js');
    this.current = await openCollections(this.url, this.clocks, this.isReadOnly);
  }

  async close(): Promise<void> {
    const open = this.current;
    this.current = undefined;
    await open?.connection.close();
  }

  async findMissing(): Promise<Missing[]> {
    const { findMissing } = await import('./ensure-indexes.js');
    const { db } = this.opened.connection;
    return retryWithin(this.clocks, LOOK_BUDGET_MS, () => findMissing(db!));
  }

  async ping(): Promise<void> {
    const database = this.opened.connection.db;
    await retryWithin(this.clocks, PING_BUDGET_MS, async () => database?.command({ ping: 1 }));
  }

  async time(): Promise<number> {
    const { db } = this.opened.connection;
    // The old name of the command: some compatible databases know only this one, and MongoDB still supports it.
    const hello = { isMaster: 1 };
    const answer = await retryWithin(this.clocks, PING_BUDGET_MS, async () => db!.command(hello));
    return (answer.localTime as Date).getTime();
  }

  get rows(): AllRows {
    return this.opened.rows;
  }

  private get opened(): OpenCollections {
    if (!this.current) throw new StoreUnavailableError('The store is not open.');
    return this.current;
  }
}
