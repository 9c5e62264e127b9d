import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Binding, Conversation, Turn } from '#contracts';
import type { Bus } from '#messaging';
import type { Store } from '#store';
import { observeJournal } from '#journal';
import { createMetrics } from '#observability';
import { claimRow, openPorts, stepRow, turnRow, type TestPorts } from '#journal/testing';
import { createSweeper } from '../../../apps/orchestrator/sweep/create-sweeper.js';
import { TurnHints } from '../../../apps/orchestrator/sweep/turn-hints.js';

/** By kind; those that did not happen are left out. */
function countRepairs() {
  const metrics = createMetrics({ collectDefaults: false });
  const values = async () => {
    const { values: counted } = await metrics.repairs.get();
    return counted.map(({ labels, value }) => [labels.kind, value]).filter(([, value]) => value !== 0);
  };
  return { metrics, values };
}

const DAY_MS = 24 * 3_600_000;
let ports: TestPorts;
let operations: string[];

/** The same object, each call of a method noted. */
function noted<T extends object>(target: T, name: string): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        operations.push(`${name}.${String(key)}`);
        return (value as (...args: unknown[]) => unknown).apply(object, args);
      };
    },
  });
}

beforeEach(async () => {
  operations = [];
  ports = await openPorts('orchestrator-1');
  const inspect = async () => ({ consumers: 1, messages: 0 });
  const bus = Object.assign(ports.recorded, { inspect });
  ports.bus = noted(bus as Partial<Bus> as Bus, 'bus');
});

const sweeper = (retentionDays?: number, wake: (turnId: string) => boolean = () => false) => {
  const counted = { ...ports, store: noted<Store>(ports.store, 'store') };
  const hints = new TurnHints(counted, { share: 1, turnsAtOnce: 0, driven: () => 0 });
  const settings = { retentionDays, deadLetterDays: 30, usage: { budget: {}, keepDays: 30 } };
  return createSweeper(counted, { settings, peers: { listUnchangedFor: () => [] }, wake, hints });
};

function conversation(id: string, change: Partial<Conversation> = {}): Conversation {
  const at = new Date().toISOString();
  const row = { title: 'A talk', policy: 'enqueue' as const, created_at: at, updated_at: at };
  return { _id: id, user_id: 'user_1', ...row, ...change };
}

/** A turn of its own conversation. */
const turnIn = (name: string, change: Partial<Turn> = {}): Turn => ({
  ...turnRow(),
  _id: `turn_${name}`,
  conversation_id: `conv_${name}`,
  client_message_id: name,
  ...change,
});

describe('a round of the sweeper', () => {
  it('does no additional work for ended conversations', async () => {
    const count = async (ended: number): Promise<string[]> => {
      for (let i = 0; i < ended; i++) {
        await ports.store.insertConversation(conversation(`conv_${ended}_${i}`));
        await ports.store.insertTurn(turnIn(`${ended}_${i}`, { status: 'completed', due_at: null }));
      }
      await ports.store.insertTurn(turnIn(`open_${ended}`, { due_at: 1 }));
      operations = [];
      await sweeper(30).sweep();
      return operations;
    };
    const few = await count(1);
    expect(await count(1_000)).toEqual(few);
    expect(few).toEqual([
      'store.listDueTurns',
      'store.listDueTurns',
      'store.setTurnsDue',
      'store.readJournalsOf',
      'bus.inspect',
      'bus.publish',
      'store.listUnchangedConversations',
      'store.listUnscheduledConversations',
      'store.listDueConversations',
      'store.removeExpiredBindings',
      'store.removeUsageBefore',
      'store.removeOldDeadLetters',
      'store.removeApprovalRequestsBefore',
      'store.removeExpiredConnections',
    ]);
  });

  it('moves its turns together, asks for the queue once, and takes two hundred at most', async () => {
    for (let i = 0; i < 250; i++) await ports.store.insertTurn(turnIn(`${i}`, { due_at: i }));
    const now = Date.now();
    await sweeper().sweep(now);
    const once = ['store.setTurnsDue', 'bus.inspect'];
    for (const name of once) expect(operations.filter((each) => each === name)).toHaveLength(1);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(200);
    expect((await ports.store.listDueTurns(now, 1_000)).map((turn) => turn.due_at)).toEqual(
      Array.from({ length: 50 }, (_, i) => 200 + i),
    );
    expect(await ports.store.listDueTurns(now + 5_000, 1_000)).toHaveLength(250);
  });

  it('has few journals in memory at a time, and has moved its turns before it reads them', async () => {
    for (let i = 0; i < 30; i++) await ports.store.insertTurn(turnIn(`${i}`, { due_at: i }));
    const now = Date.now();
    const dueAtRead: number[] = [];
    const { readJournalsOf } = ports.store;
    ports.store.readJournalsOf = async (ids) => {
      expect(ids.length).toBeLessThanOrEqual(4);
      dueAtRead.push((await ports.store.listDueTurns(now, 1_000)).length);
      return readJournalsOf.call(ports.store, ids);
    };
    await sweeper().sweep(now);
    expect(dueAtRead).toEqual(Array.from({ length: 8 }, () => 0));
  });

  describe('among three thousand turns that wait for approval', () => {
    beforeEach(async () => {
      for (let i = 0; i < 3_000; i++)
        await ports.store.insertTurn(turnIn(`parked_${i}`, { status: 'awaiting_input', due_at: i }));
    });

    it('finds a lost hint in the first round, and reads no more rows than without them', async () => {
      await ports.store.insertTurn(turnIn('lost', { status: 'running', due_at: 5_000 }));
      const read: string[] = [];
      const { readJournalsOf } = ports.store;
      ports.store.readJournalsOf = (ids) => {
        read.push(...ids);
        return readJournalsOf.call(ports.store, ids);
      };
      await sweeper().sweep();
      expect(ports.recorded.bodies('turn.advance').map(([, { turn_id }]) => turn_id)).toContain('turn_lost');
      expect(read).toHaveLength(200);
    });

    it('checks those too, oldest first, even while more turns move than a round takes', async () => {
      for (let i = 0; i < 300; i++)
        await ports.store.insertTurn(turnIn(`moving_${i}`, { status: 'running', due_at: i }));
      const now = Date.now();
      await sweeper().sweep(now);
      const left = await ports.store.listDueTurns(now, 5_000, 'parked');
      expect(left).toHaveLength(2_980);
      expect(left[0]?._id).toBe('turn_parked_20');
      expect(await ports.store.listDueTurns(now, 5_000, 'moving')).toHaveLength(100);
    });
  });

  it('wakes turns that are driven here, hints living drivers, and gives those of dead ones to any orchestrator', async () => {
    for (const name of ['mine', 'theirs', 'orphan'])
      await ports.store.insertTurn(turnIn(name, { due_at: 1 }));
    for (const [name, owner] of [
      ['theirs', 'orchestrator-2'],
      ['orphan', 'orchestrator-3'],
    ] as const) {
      const claim = { ...claimRow(`turn_${name}`, owner), turn_id: `turn_${name}` };
      await ports.store.claim({ ...claim, conversation_id: `conv_${name}` });
    }
    ports.dead.add('orchestrator-3');
    const { metrics, values } = countRepairs();
    ports.observer = observeJournal({ info: () => undefined }, metrics);
    const woken: string[] = [];
    await sweeper(undefined, (turnId) => turnId === 'turn_mine' && woken.push(turnId) > 0).sweep();
    expect(woken).toEqual(['turn_mine']);
    expect(ports.recorded.bodies('turn.advance').map(([to, { turn_id }]) => [to, turn_id])).toEqual(
      expect.arrayContaining([
        ['orchestrator.2', 'turn_theirs'],
        ['turns', 'turn_orphan'],
      ]),
    );
    expect(Object.fromEntries(await values())).toEqual({ turn_hinted: 1, status_corrected: 2 });
  });

  it('continues when one turn cannot be read, and with conversations when turns fail', async () => {
    await ports.store.insertTurn(turnIn('good', { due_at: 1 }));
    await ports.store.insertTurn(turnIn('bad', { due_at: 1 }));
    await ports.store.insertConversation(
      conversation('conv_old', { updated_at: '2020-01-01T00:00:00.000Z' }),
    );
    const { readJournal } = ports.store;
    const refuse = () => Promise.reject(new Error('not readable'));
    ports.store.readJournalsOf = refuse;
    ports.store.readJournal = (id) => (id === 'turn_bad' ? refuse() : readJournal.call(ports.store, id));
    const before = Date.now();
    await sweeper(30).sweep();
    expect(ports.recorded.bodies('turn.advance').map(([, { turn_id }]) => turn_id)).toEqual(['turn_good']);
    expect((await ports.store.getTurn('turn_bad'))?.due_at).toBeGreaterThan(before + 20_000);
    ports.store.listDueTurns = refuse;
    ports.store.listUnchangedConversations = () => Promise.resolve([]);
    await ports.store.updateConversation('conv_old', { deleted_at: new Date().toISOString(), due_at: 1 });
    await sweeper(30).sweep();
    expect((await ports.store.getConversation('conv_old'))?.title).toBe('');
  });
});

describe('conversations that an earlier version marked as deleted', () => {
  it('are found without a stored time for the next check, a few in each round, and removed', async () => {
    const deleted_at = new Date().toISOString();
    const ids = Array.from({ length: 25 }, (_, n) => `conv_${n}`);
    for (const id of ids)
      await ports.store.insertConversation(conversation(id, { deleted_at, title: 'Mine' }));
    const parts = sweeper();
    const left = async () =>
      (await Promise.all(ids.map((id) => ports.store.getConversation(id)))).filter((row) => row?.title)
        .length;
    await parts.sweep();
    expect(await left()).toBe(5);
    await parts.sweep();
    expect(await left()).toBe(0);
  });
});

function binding(_id: string, more: Partial<Binding>): Binding {
  return {
    _id,
    user_id: 'user_1',
    dialect: 'd',
    key: _id,
    value: '1',
    at: new Date().toISOString(),
    ...more,
  };
}

const bindings = async () => (await ports.store.listBindings('user_1', 'd')).map(({ _id }) => _id).sort();

describe('temporary rows of dialects', () => {
  it('are removed when they expire, a hundred in each round until none are left', async () => {
    const now = Date.now();
    const at = (ms: number) => new Date(now + ms).toISOString();
    for (let i = 0; i < 150; i++)
      await ports.store.putBinding(binding(`old_${i}`, { expires_at: at(-i - 1) }));
    await ports.store.putBinding(binding('soon', { expires_at: at(30_000) }));
    await ports.store.putBinding(binding('stays', {}));
    const parts = sweeper();
    await parts.sweep(now);
    expect(await bindings()).toHaveLength(52);
    await parts.sweep(now);
    expect(await bindings()).toEqual(['soon', 'stays']);
    await parts.sweep(now + 59_000);
    expect(await bindings()).toEqual(['soon', 'stays']);
    await parts.sweep(now + 60_000);
    expect(await bindings()).toEqual(['stays']);
  });
});

describe('retention', () => {
  it('deletes conversations unchanged for the configured days, and nothing when it is off', async () => {
    const before = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    await ports.store.insertConversation(conversation('conv_1', { updated_at: before(31) }));
    await ports.store.insertConversation(conversation('conv_2', { updated_at: before(29) }));
    await ports.store.insertTurn({ ...turnRow(), due_at: null, status: 'completed' });
    await ports.store.commitStep(stepRow(1, { blocks: [{ type: 'text', text: 'private' }] }));
    await ports.store.putBinding(binding('b1', { conversation_id: 'conv_1' }));
    await ports.store.putBinding(binding('b2', { conversation_id: 'conv_2' }));
    await sweeper().sweep();
    expect(await ports.store.listConversations('user_1', { skip: 0, limit: 9 })).toHaveLength(2);
    // Marked in this round, and removed in it: its time is that of the mark, whenever that is made.
    await sweeper(30).sweep(Date.now() + 60_000);
    const [left, ...others] = await ports.store.listConversations('user_1', { skip: 0, limit: 9 });
    expect([left?._id, others]).toEqual(['conv_2', []]);
    expect(await ports.store.listTurns('conv_1', { limit: 9 })).toEqual([]);
    expect((await ports.store.getStep('turn_1', 1))?.blocks).toEqual([]);
    expect(await bindings()).toEqual(['b2']);
  });
});

describe('an expiring conversation', () => {
  it('is deleted when it expires, and not before', async () => {
    const expiresAt = Date.now() + DAY_MS;
    const expires_at = new Date(expiresAt).toISOString();
    await ports.store.insertConversation(conversation('conv_1', { expires_at, due_at: expiresAt }));
    await ports.store.insertTurn({ ...turnRow(), due_at: null, status: 'completed' });
    await sweeper().sweep();
    expect((await ports.store.getConversation('conv_1'))?.deleted_at).toBeUndefined();
    await sweeper().sweep(expiresAt);
    expect((await ports.store.getConversation('conv_1'))?.deleted_at).toBeDefined();
    await sweeper().sweep(expiresAt + 1);
    expect(await ports.store.listTurns('conv_1', { limit: 9 })).toEqual([]);
  });
});
