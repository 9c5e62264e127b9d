import { inspect } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import mongoose, { type Connection } from 'mongoose';
import { createStore, StoreSetupError, StoreUnavailableError, UnreadableRowError, type Store } from '#store';
import { systemTime } from '#time';
import {
  makeCallId,
  makeId,
  sampleClaim,
  sampleConversation,
  sampleOutcome,
  sampleStep,
  sampleTurn,
} from '../../../libs/store/testing/sample-rows.js';
import { describeStoreContract } from '../../../libs/store/testing/store-contract.js';
import { findFreePort } from '../../services/free-port.js';
import { describeWithServices, mongoForTest, serviceStartTimeoutMs } from '../../services/test-services.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { MongoProxy } from './mongo-proxy.js';

describeWithServices(['mongo'], 'the Mongoose adapter', () => {
  let url = '';
  beforeAll(async () => {
    url = (await mongoForTest())!.url;
  }, serviceStartTimeoutMs);

  describeStoreContract(() => createStore({ ...systemTime(), url }));

  describe('MongoStore commands', () => {
    let proxy: MongoProxy;
    let store: Store;
    beforeEach(async () => {
      proxy = await MongoProxy.start(url);
      store = createStore({ ...systemTime(), url: proxy.url });
      await store.open();
      proxy.commands.length = 0;
    });
    afterEach(async () => {
      await store.close();
      await proxy.stop();
    });

    it('insert with one command that a majority must journal', async () => {
      await store.insertTurn(sampleTurn());
      await store.claim(sampleClaim(sampleTurn(), makeCallId(), 1));
      const inserts = proxy.commandsNamed('insert');
      expect(inserts).toHaveLength(2);
      for (const { writeConcern } of inserts) {
        expect(writeConcern).toEqual({ w: 'majority', j: true, wtimeout: 5000 });
      }
      expect(proxy.commandsNamed('find')).toEqual([]);
    });

    it('read majority-committed data, a journal with five commands', async () => {
      await store.readJournal(makeId());
      const finds = proxy.commandsNamed('find');
      expect(finds.map(({ find }) => find).sort()).toEqual([
        'answers',
        'claims',
        'outcomes',
        'steps',
        'turns',
      ]);
      for (const { readConcern } of finds) expect(readConcern).toEqual({ level: 'majority' });
    });

    it('count a row whose answer was lost as won, once', async () => {
      const turn = sampleTurn({ options: { temperature: 0.5 }, traceparent: undefined });
      const callId = makeCallId();
      const claim = sampleClaim(turn, callId, 1, { decides: sampleOutcome(turn, callId) });
      proxy.loseNextAnswerTo('insert');
      expect(await store.claim(claim)).toEqual({ won: true, row: claim });
      proxy.loseNextAnswerTo('insert');
      expect(await store.insertTurn(turn)).toEqual({ won: true, row: turn });
      expect(proxy.commandsNamed('insert')).toHaveLength(4);
      expect(await store.claim(claim)).toEqual({ won: false, row: claim });
    });

    it('count another process’s row as lost although an answer was lost', async () => {
      const turn = sampleTurn();
      const callId = makeCallId();
      const winner = sampleClaim(turn, callId, 1);
      await store.claim(winner);
      proxy.loseNextAnswerTo('insert');
      expect(await store.claim(sampleClaim(turn, callId, 1))).toEqual({ won: false, row: winner });
    });

    it('report a turn as won whose caches changed before the lost answer was noticed', async () => {
      const turn = sampleTurn({ due_at: 5 });
      const direct = createStore({ ...systemTime(), url });
      await direct.open();
      proxy.loseNextAnswerTo('insert');
      const inserting = store.insertTurn(turn);
      await waitFor(() => direct.getTurn(turn._id), { what: 'the turn in the store', intervalMs: 1 });
      await direct.setTurnStatus(turn._id, 'running');
      expect(await inserting).toMatchObject({ won: true, row: { _id: turn._id } });
      await direct.close();
    });

    it('repeat a read whose answer was lost', async () => {
      const step = sampleStep(sampleTurn(), 1);
      await store.commitStep(step);
      proxy.loseNextAnswerTo('find');
      expect(await store.getStep(step.turn_id, 1)).toEqual(step);
    });

    it('request no turn that exceeds the requested bytes', async () => {
      const conversation_id = makeId();
      for (const number of [1, 2, 3])
        await store.insertTurn(sampleTurn({ conversation_id, number, content: '€'.repeat(4_000) }));
      const [newest, ...others] = await store.listTurns(conversation_id, { limit: 3, bytes: 20_000 });
      expect([newest?.number, others]).toEqual([3, []]);
      const finds = proxy.commandsNamed('find');
      expect(finds.map(({ filter }) => filter)).toEqual([{ _id: { $in: [newest?._id] } }]);
      for (const { readConcern } of proxy.commandsNamed('aggregate'))
        expect(readConcern).toEqual({ level: 'majority' });
    });

    it('request only the fields that lists show, and a few messages at a time', async () => {
      const ids = Array.from({ length: 50 }, makeId);
      for (const conversation_id of ids)
        await store.insertTurn(sampleTurn({ conversation_id, user_id: ids[0] }));
      expect(await store.listOpenings(ids, 2)).toHaveLength(50);
      expect(await store.listUnendedStatesOf(ids[0]!)).toHaveLength(50);
      const finds = proxy.commandsNamed('find');
      expect(finds.map(({ projection, batchSize }) => [projection, batchSize])).toEqual([
        [{ _id: 0, conversation_id: 1, content: 1 }, 20],
        [{ _id: 0, conversation_id: 1, number: 1, status: 1 }, 20],
      ]);
      expect(proxy.commandsNamed('getMore').map(({ batchSize }) => batchSize)).toEqual([20, 20, 20, 20]);
    });

    it('fail as unavailable while no server listens, in bounded time', async () => {
      await proxy.stop();
      const refused: Promise<unknown>[] = [
        store.claim(sampleClaim(sampleTurn(), makeCallId(), 1)),
        store.ping(),
      ];
      await Promise.all(
        refused.map((operation) =>
          expect(inTime(operation, { what: 'an answer of the store' })).rejects.toThrow(
            StoreUnavailableError,
          ),
        ),
      );
      proxy = await MongoProxy.start(url);
    });
  });

  describe('MongoStore at its start', () => {
    const databaseUrl = () => url.replace(/\/([^/]+)$/, `/$1_${makeId().slice(0, 6)}`);

    async function withRaw(target: string, prepare: (raw: Connection) => Promise<unknown>): Promise<void> {
      const raw = await mongoose.createConnection(target).asPromise();
      await prepare(raw);
      await raw.close();
    }

    it('creates the unique indexes, and finds them at the next start', async () => {
      const target = databaseUrl();
      for (let start = 0; start < 2; start++) {
        const store = createStore({ ...systemTime(), url: target });
        await store.open();
        await store.close();
      }
      await withRaw(target, async (raw) => {
        const unique = (await raw.collection('turns').listIndexes().toArray()).filter(
          (index) => index.unique,
        );
        expect(unique.map((index) => Object.keys(index.key).join())).toEqual([
          'conversation_id,number',
          'conversation_id,client_message_id',
        ]);
        await raw.dropDatabase();
      });
    });

    it('refuses documents that contradict a unique index, naming it', async () => {
      const target = databaseUrl();
      const rows = [1, 1].map((number) => ({ conversation_id: 'c', number, client_message_id: makeId() }));
      await withRaw(target, (raw) => raw.collection('turns').insertMany(rows));
      const store = createStore({ ...systemTime(), url: target });
      await expect(store.open()).rejects.toThrow(StoreSetupError);
      await expect(store.open()).rejects.toThrow(/unique index on turns \(conversation_id, number\)/);
      await withRaw(target, (raw) => raw.dropDatabase());
    });

    it('refuses an existing index that is not unique but must be, naming it', async () => {
      const target = databaseUrl();
      const key = { conversation_id: 1, client_message_id: 1 } as const;
      await withRaw(target, (raw) => raw.collection('turns').createIndex(key));
      const store = createStore({ ...systemTime(), url: target });
      await expect(store.open()).rejects.toThrow(StoreSetupError);
      await expect(store.open()).rejects.toThrow(
        /unique index on turns \(conversation_id, client_message_id\)/,
      );
      await withRaw(target, (raw) => raw.dropDatabase());
    });

    it('creates nothing for a reader, who sees every row, and says which rows are not JSON', async () => {
      const target = databaseUrl();
      const reader = createStore({ ...systemTime(), url: target, isReadOnly: true });
      await reader.open();
      expect(await reader.listConversationIds({ after: '', limit: 1 })).toEqual([]);
      await withRaw(target, async (raw) => {
        expect(await raw.listCollections()).toEqual([]);
        await raw.collection('turns').insertOne({ _id: 'garbage' as never, content: '{PLANTED' });
      });
      const error: unknown = await reader.getTurn('garbage').catch((caught: unknown) => caught);
      expect(error).toEqual(new UnreadableRowError('A row of turns is not JSON.'));
      expect(inspect(error, { depth: 10 })).not.toContain('PLANTED');
      await reader.close();
      await withRaw(target, (raw) => raw.dropDatabase());
    });

    it('finds which collections and indexes are missing', async () => {
      const target = databaseUrl();
      const store = createStore({ ...systemTime(), url: target });
      await store.open();
      expect(await store.findMissing()).toEqual([]);
      await withRaw(target, async (raw) => {
        await raw.dropCollection('facts');
        await raw.collection('turns').dropIndex('conversation_id_1_status_1_number_1');
        await raw.collection('turns').dropIndex('conversation_id_1_number_1');
      });
      expect(await store.findMissing()).toEqual([
        { kind: 'unique_index', name: 'turns (conversation_id, number)' },
        { kind: 'index', name: 'turns (conversation_id, status, number)' },
        { kind: 'collection', name: 'facts' },
      ]);
      await store.close();
      await withRaw(target, (raw) => raw.dropDatabase());
    });

    it('reports in one sentence which server is unreachable, without the password', async () => {
      const port = await findFreePort();
      const store = createStore({
        ...systemTime(),
        url: `mongodb://user:secret@127.0.0.1:${port}/x?authSource=admin`,
      });
      const error: unknown = await store.open().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect((error as Error).message).toBe(
        `MongoDB at 127.0.0.1:${port} cannot be reached: start it there or correct MONGODB_URL.`,
      );
      expect(inspect(error, { depth: 10 })).not.toContain('secret');
    });

    it.each(['mongo://user:secret@host/x', 'mongodb://user:se/cret@host/x', '', 'mongodb://:secret@/'])(
      'refuses the URL %j without repeating it',
      async (broken) => {
        const error: unknown = await createStore({ ...systemTime(), url: broken })
          .open()
          .catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(StoreSetupError);
        expect((error as Error).message).toMatch(/^MONGODB_URL is not usable/);
        expect(inspect(error, { depth: 10 })).not.toMatch(/secret|se\/cret/);
      },
    );

    it('is unavailable before it is open and after it is closed', async () => {
      const store = createStore({ ...systemTime(), url });
      await expect(store.getTurn('x')).rejects.toThrow(StoreUnavailableError);
      await store.open();
      await store.close();
      await store.close();
      await expect(store.insertConversation(sampleConversation())).rejects.toThrow(StoreUnavailableError);
      await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    });
  });
});
