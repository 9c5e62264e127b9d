import mongoose, { type Connection, type Model } from 'mongoose';
import type { Time } from '#time';
import { COLLECTION_NAMES, type CollectionName } from '../port/collections.js';
import { FIELD_KINDS, type FieldKind } from '../port/field-kinds.js';
import type { AllRows } from '../port/rows.port.js';
import { StoreSetupError, StoreUnavailableError } from '../port/store-errors.js';
import type { StoredDocument } from './documents.js';
import { ensureIndexes } from './ensure-indexes.js';
import { translateMongoError } from './mongo-errors.js';
import { MongoRows } from './mongo-rows.js';

export interface OpenCollections {
  rows: AllRows;
  connection: Connection;
}

const connectOptions: mongoose.ConnectOptions = {
  bufferCommands: false,
  autoIndex: false,
  autoCreate: false,
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  heartbeatFrequencyMS: 5_000,
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
};

/** Connects and ensures every collection and index, unless `isReadOnly`. */
export async function openCollections(
  url: string,
  time: Time,
  isReadOnly: boolean,
): Promise<OpenCollections> {
  const connection = await connect(url);
  try {
    const models = COLLECTION_NAMES.map((name) => [name, defineModel(connection, name)] as const);
    if (!isReadOnly) for (const [name, model] of models) await ensureIndexes(model, name);
    const rows = models.map(([name, model]) => [name, new MongoRows(model, name, time)]);
    return { connection, rows: Object.fromEntries(rows) as AllRows };
  } catch (error) {
    await connection.close();
    throw translateMongoError(error);
  }
}

function defineModel(connection: Connection, name: CollectionName): Model<StoredDocument> {
  const kinds = Object.entries<FieldKind>(FIELD_KINDS[name]);
  const fields = kinds.map(([field, kind]) => [field, kind === 'number' ? Number : String] as const);
  const definition = { _id: String, ...Object.fromEntries(fields) };
  const schema = new mongoose.Schema(definition, { versionKey: false, id: false, strict: 'throw' });
  return connection.model(name, schema, name) as unknown as Model<StoredDocument>;
}

async function connect(url: string): Promise<Connection> {
  const dbName = /^[^:]+:\/\/[^/?]+\/[^?]/.test(url) ? undefined : 'switchyard';
  try {
    return await mongoose.createConnection(url, { ...connectOptions, dbName }).asPromise();
  } catch (error) {
    throw explainConnectFailure(url, error);
  }
}

function explainConnectFailure(url: string, cause: unknown): Error {
  const { name, code } = cause as { name?: string; code?: unknown };
  if (code === 18 || code === 8000 || name === 'MongoMissingCredentialsError') {
    const advice = 'correct them in MONGODB_URL';
    return new StoreSetupError(
      `MongoDB at ${describeHosts(url)} refused the user name or password: ${advice}.`,
      { cause },
    );
  }
  if (translateMongoError(cause) instanceof StoreUnavailableError) {
    const advice = 'start it there or correct MONGODB_URL';
    return new StoreUnavailableError(`MongoDB at ${describeHosts(url)} cannot be reached: ${advice}.`, {
      cause,
    });
  }
  const example = 'mongodb://host:27017/switchyard';
  return new StoreSetupError(`MONGODB_URL is not usable: write it like ${example}.`, { cause });
}

/** Returns the hosts of the URL; everything before the last `@` may be a password. */
function describeHosts(url: string): string {
  return url.replace(/^.*@|^[^:]+:\/\//, '').split(/[/?]/)[0] ?? '';
}
