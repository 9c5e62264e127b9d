import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { createStore } from '../create-store.js';
import {
  StoreInUseError,
  StoreSetupError,
  StoreUnavailableError,
  UnreadableRowError,
} from '../port/store-errors.js';
import type { Store } from '../port/store.port.js';
import { sampleClaim, sampleConversation, sampleProcess, sampleTurn } from '../testing/sample-rows.js';
import { describeStoreContract } from '../testing/store-contract.js';

/** Holds what a running Switchyard process holds of its folder. */
const lockHolder = `
  import Database from 'libsql';
  new Database(process.argv[1]).exec('BEGIN EXCLUSIVE');
  console.log('locked');
  setInterval(() => {}, 1000);`;

describe('the libsql adapter in memory', () => {
  describeStoreContract(() => createStore({ dataDir: ':memory:' }));
});

describe('the libsql adapter on a file, by contract', () => {
  let folder = '';
  afterAll(() => rm(folder, { recursive: true }));

  describeStoreContract(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-libsql-'));
    return createStore({ dataDir: folder });
  });
});

describe('the libsql adapter on a file', () => {
  let folder = '';
  let stores: Store[] = [];
  const newStore = () => {
    const store = createStore({ dataDir: join(folder, 'data') });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-libsql-'));
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
    // The library removes its files next to the database a moment after the close.
    await rm(folder, { recursive: true, force: true });
  });

  async function tamper(sql: string): Promise<void> {
    const database = new Database(join(folder, 'data', 'switchyard.db'));
    database.exec(sql);
    database.close();
  }

  it('keeps everything except the processes over a restart', async () => {
    const first = newStore();
    await first.open();
    const turn = sampleTurn();
    await first.insertTurn(turn);
    await first.claim(sampleClaim(turn, turn._id, 1));
    await first.insertProcess(sampleProcess());
    await first.close();

    const second = newStore();
    await second.open();
    expect((await second.readJournal(turn._id))?.claims).toHaveLength(1);
    expect(await second.listProcesses()).toEqual([]);
  });

  it('writes durably: write-ahead log, synced at every commit', async () => {
    const store = newStore();
    await store.open();
    await store.insertTurn(sampleTurn());
    expect((await stat(join(folder, 'data', 'switchyard.db-wal'))).size).toBeGreaterThan(0);
  });

  it('leaves everything in a single file when it is closed', async () => {
    const store = newStore();
    await store.open();
    const turn = sampleTurn();
    await store.insertTurn(turn);
    await store.close();
    for (const file of await readdir(join(folder, 'data'))) {
      // Forced: the library removes them, too, a moment after the close.
      if (file !== 'switchyard.db') await rm(join(folder, 'data', file), { force: true });
    }
    await store.open();
    expect(await store.getTurn(turn._id)).toEqual(turn);
  });

  it('refuses a folder that another store of this process has open, until that is closed', async () => {
    const [first, second] = [newStore(), newStore()];
    await first.open();
    await expect(second.open()).rejects.toThrow(StoreSetupError);
    await first.close();
    await second.open();
    await second.ping();
  });

  it('refuses in one sentence a folder that another process has open, and opens it once that is killed', async () => {
    const store = newStore();
    await store.open();
    await store.close();
    const lockFile = join(folder, 'data', 'switchyard.lock');
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', lockHolder, lockFile], {
      stdio,
    });
    try {
      await once(holder.stdout!, 'data');
      await expect(store.open()).rejects.toThrow(
        `The folder ${join(folder, 'data')} is in use by another Switchyard process: stop that process or choose`,
      );
      await expect(store.open()).rejects.toThrow(StoreSetupError);
    } finally {
      holder.kill('SIGKILL');
    }
    await once(holder, 'exit');
    await store.open();
    await store.ping();
  });

  const newReader = () => {
    const store = createStore({ dataDir: join(folder, 'data'), isReadOnly: true });
    stores.push(store);
    return store;
  };

  it('reads the file as it is, with its processes, and writes nothing', async () => {
    const store = newStore();
    await store.open();
    const turn = sampleTurn();
    await store.insertTurn(turn);
    await store.insertProcess(sampleProcess());
    await store.close();
    await tamper('DROP INDEX turns_by_due_at');
    const reader = newReader();
    await reader.open();
    expect(await reader.getTurn(turn._id)).toEqual(turn);
    expect(await reader.listProcesses()).toHaveLength(1);
    await expect(reader.insertTurn(sampleTurn())).rejects.toThrow(StoreSetupError);
    await reader.close();
    const database = new Database(join(folder, 'data', 'switchyard.db'));
    const left = database.prepare("SELECT name FROM sqlite_master WHERE name = 'turns_by_due_at'").all();
    database.close();
    expect(left).toEqual([]);
  });

  it('finds which tables and indexes are missing', async () => {
    const store = newStore();
    await store.open();
    expect(await store.findMissing()).toEqual([]);
    await store.close();
    const unique = 'turns_by_conversation_id_and_number';
    await tamper(`DROP INDEX turns_by_due_at; DROP TABLE facts; DROP INDEX ${unique};
      CREATE INDEX ${unique} ON turns (conversation_id, number)`);
    const reader = newReader();
    await reader.open();
    expect(await reader.findMissing()).toEqual([
      { kind: 'unique_index', name: 'turns (conversation_id, number)' },
      { kind: 'index', name: 'turns (due_at)' },
      { kind: 'collection', name: 'facts' },
    ]);
  });

  it('creates nothing for a reader, and says that another process has the file', async () => {
    await expect(newReader().open()).rejects.toThrow(`There is no store in ${join(folder, 'data')}`);
    expect(await readdir(folder)).toEqual([]);
    await newStore().open();
    await expect(newReader().open()).rejects.toThrow(StoreInUseError);
  });

  it('says that a row is not JSON, and not what it holds', async () => {
    const store = newStore();
    await store.open();
    await store.close();
    await tamper("INSERT INTO turns (_id, row) VALUES ('garbage', '{PLANTED')");
    await store.open();
    const error: unknown = await store.getTurn('garbage').catch((caught: unknown) => caught);
    expect(error).toEqual(new UnreadableRowError('A row of turns is not JSON.'));
    expect(inspect(error, { depth: 10 })).not.toContain('PLANTED');
  });

  it('does not start when an index is not unique that must be', async () => {
    const store = newStore();
    await store.open();
    await store.close();
    const name = 'turns_by_conversation_id_and_number';
    await tamper(`DROP INDEX ${name}; CREATE INDEX ${name} ON turns (conversation_id, number)`);
    await expect(store.open()).rejects.toThrow(StoreSetupError);
    await expect(store.open()).rejects.toThrow(/unique index turns_by_conversation_id_and_number/);
  });

  it('does not start with rows that contradict a unique index', async () => {
    const store = newStore();
    await store.open();
    await store.insertTurn(sampleTurn({ conversation_id: 'c', client_message_id: 'same' }));
    await store.close();
    await tamper(`DROP INDEX turns_by_conversation_id_and_client_message_id;
      INSERT INTO turns (_id, conversation_id, number, client_message_id, row) VALUES ('x', 'c', 2, 'same', '{}')`);
    await expect(store.open()).rejects.toThrow(/conversation_id, client_message_id.*violate/);
  });

  it('migrates a file of an earlier version, and finds its rows by new columns', async () => {
    const store = newStore();
    await store.open();
    const row = { ...sampleConversation(), deleted_at: '2026-03-01T10:00:00.000Z', due_at: 5 };
    await store.insertConversation(row);
    await store.close();
    await tamper('DROP INDEX conversations_by_due_at; ALTER TABLE conversations DROP COLUMN due_at');
    await store.open();
    expect(await store.listDueConversations(5, 10)).toEqual([row]);
  });

  it('releases the folder when it could not start', async () => {
    const store = newStore();
    await store.open();
    await store.close();
    const twice =
      "INSERT INTO turns (_id, conversation_id, number, row) VALUES ('x', 'c', 1, '{}'), ('y', 'c', 1, '{}')";
    await tamper(`DROP INDEX turns_by_conversation_id_and_number; ${twice}`);
    await expect(store.open()).rejects.toThrow(StoreSetupError);
    await tamper('DROP TABLE turns');
    await store.open();
  });

  it('names a folder that cannot be created', async () => {
    await writeFile(join(folder, 'data'), 'a file');
    await expect(newStore().open()).rejects.toThrow(/Cannot create the folder .* choose another DATA_DIR/);
  });

  it('names a file that is not a database', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(join(folder, 'data', 'switchyard.db'), 'this is a text file'.repeat(500));
    await expect(newStore().open()).rejects.toThrow(StoreSetupError);
  });

  it('is unavailable before it is open and after it is closed', async () => {
    const store = newStore();
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    await store.open();
    await store.close();
    await store.close();
    await expect(store.getTurn('x')).rejects.toThrow(StoreUnavailableError);
  });
});
