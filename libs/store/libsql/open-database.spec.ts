import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openDatabase } from './open-database.js';

/** https://sqlite.org/pragma.html#pragma_synchronous */
const FULL = 2;

it('openDatabase writes each commit to the disk before it is confirmed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-libsql-'));
  const { database, close } = await openDatabase(folder);
  try {
    expect(database.pragma('synchronous')).toEqual([{ synchronous: FULL }]);
  } finally {
    close();
    await rm(folder, { recursive: true, force: true });
  }
});
