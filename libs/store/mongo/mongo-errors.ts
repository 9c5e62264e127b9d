import { StoreSetupError, StoreUnavailableError } from '../store-errors.js';

interface MongoFailure {
  name?: string;
  message?: string;
  code?: number | string;
  codeName?: string;
}

interface WriteFailure {
  code: number;
  /** Among the documents of the write. */
  index: number;
}

/** Server codes that trying again does not change: rights, unknown commands, documents that are too large. */
const lastingCodes = new Set<unknown>([2, 9, 13, 14, 18, 59, 72, 79, 100, 115, 8000, 10334, 17280]);
/** Driver and Mongoose errors about what they were given, not about the connection. */
const lastingNames = new Set<unknown>([
  'MongoParseError',
  'MongoInvalidArgumentError',
  'MongoMissingCredentialsError',
  'MongoMissingDependencyError',
]);

/** The driver's own error for a connection in use whose server fell silent: the only one of another name. */
const CUT_CONNECTION = 'PoolClearedOnNetworkError';

export function isDuplicateKey(error: unknown): boolean {
  return (error as MongoFailure).code === 11000;
}

/**
 * Of a write of several documents in which nothing but duplicates went wrong: the place of the first. Throws the
 * rest.
 */
export function firstDuplicate(error: unknown): number {
  const { writeErrors = [] } = error as { writeErrors?: WriteFailure | WriteFailure[] };
  const failures = [writeErrors].flat();
  if (failures.length === 0 || !failures.every(isDuplicateKey)) throw error;
  return Math.min(...failures.map(({ index }) => index));
}

/**
 * Everything that the driver, Mongoose or the mapping throws → one of the store's two errors. Messages of the
 * server are left out: they may quote what was written.
 */
export function translateMongoError(error: unknown): StoreUnavailableError | StoreSetupError {
  if (error instanceof StoreUnavailableError || error instanceof StoreSetupError) return error;
  const failure = error as MongoFailure;
  const label = failure.codeName ?? failure.code ?? failure.name ?? 'unknown error';
  return isPassing(failure)
    ? new StoreUnavailableError(`MongoDB does not answer at the moment (${label}).`, {
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
