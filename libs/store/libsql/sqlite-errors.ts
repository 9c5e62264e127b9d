import { StoreSetupError, StoreUnavailableError, UnreadableRowError } from '../port/store-errors.js';

/** Codes of conditions that may pass soon: a full disk, a lock, a failing device. */
const passingCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|NOMEM|INTERRUPT|PROTOCOL)/;

/** Translates every error of SQLite or its binding into one of the store's errors. */
export function translateSqliteError(
  error: unknown,
): StoreUnavailableError | StoreSetupError | UnreadableRowError {
  if (error instanceof StoreUnavailableError || error instanceof StoreSetupError) return error;
  if (error instanceof UnreadableRowError) return error;
  const { code = '', message } = error as { code?: string; message?: string };
  if (passingCodes.test(code)) {
    return new StoreUnavailableError(`SQLite is not available right now: ${message} (${code}).`, {
      cause: error,
    });
  }
  return new StoreSetupError(`SQLite refused an operation: ${message}${code && ` (${code})`}.`, {
    cause: error,
  });
}
