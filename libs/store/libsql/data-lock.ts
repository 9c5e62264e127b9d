import { join } from 'node:path';
import type Database from 'libsql';
import { StoreInUseError } from '../port/store-errors.js';

/**
 * Makes this process the only user of the folder until `release()` or its death: an exclusive transaction on a separate
 * file. The operating system releases its lock when the process ends.
 */
export function lockDataDir(Connection: typeof Database, dataDir: string): { release(): void } {
  const connection = new Connection(join(dataDir, 'switchyard.lock'));
  try {
    connection.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    connection.close();
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause;
    const advice = 'stop that process or choose another DATA_DIR';
    throw new StoreInUseError(`The folder ${dataDir} is in use by another Switchyard process: ${advice}.`, {
      cause,
    });
  }
  return {
    release() {
      connection.exec('ROLLBACK');
      connection.close();
    },
  };
}
