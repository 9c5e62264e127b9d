import { StoreSetupError, StoreUnavailableError, UnreadableRowError } from '../port/store-errors.js';

interface MongoFailure {
  name?: string;
  message?: string;
  code?: number | string;
  codeName?: string;
}

interface WriteFailure {
  code: number;
  /** Its place among the documents of the write. */
  index: number;
}

/** Server codes that a retry does not change: missing rights, unknown commands, documents that are too large. */
const lastingCodes = new Set<unknown>([2, 9, 13, 14, 18, 59, 72, 79, 100, 115, 8000, 10334, 17280]);
/** Driver and Mongoose errors about their input, not about the connection. */
const lastingNames = new Set<unknown>([
  'MongoParseError',
  'MongoInvalidArgumentError',
  'MongoMissingCredentialsError',
  'MongoMissingDependencyError',
]);

/** The driver's own error when the server of a connection in use falls silent: the only one with another name. */
const CUT_CONNECTION = 'PoolClearedOnNetworkError';

export function isDuplicateKey(error: unknown): boolean {
  return (error as MongoFailure).code === 11000;
}

/**
 * For a write of several documents that failed only because of duplicates, returns the index of the first one. Throws
 * any other error.
 */
export function firstDuplicate(error: unknown): number {
  const { writeErrors = [] } = error as { writeErrors?: WriteFailure | WriteFailure[] };
  const failures = [writeErrors].flat();
  if (failures.length === 0 || !failures.every(isDuplicateKey)) throw error;
  return Math.min(...failures.map(({ index }) => index));
}

/**
 * Translates every error of the driver, Mongoose or the mapping into one of the store's errors. Server messages are
 * left out, because they may quote the written values.
 */
export function translateMongoError(
  error: unknown,
): StoreUnavailableError | StoreSetupError | UnreadableRowError {
  if (error instanceof StoreUnavailableError || error instanceof StoreSetupError) return error;
  if (error instanceof UnreadableRowError) return error;
  const failure = error as MongoFailure;
  const label = failure.codeName ?? failure.code ?? failure.name ?? 'unknown error';
  return isPassing(failure)
    ? new StoreUnavailableError(`MongoDB is not answering right now (${label}).`, {
        cause: { name: failure.name, code: failure.code },
      })
    : new StoreSetupError(`MongoDB refused an operation (${label}).`, {
        cause: { name: failure.name, code: failure.code },
      });
}

function isPassing({ name, code }: MongoFailure): boolean {
  if (lastingCodes.has(code) || lastingNames.has(name)) return false;
  const isSystemError = typeof code === 'string' && /^E[A-Z]+$/.test(code);
  return isSystemError || name === CUT_CONNECTION || (name?.startsWith('Mongo') ?? false);
}
