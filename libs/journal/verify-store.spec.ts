import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Conversation, Switch, Turn } from '#contracts';
import { StoreSetupError, StoreUnavailableError, UnreadableRowError, type Store } from '#store';
import { SystemClock } from '#time';
import {
  callId,
  callRow,
  claimRow,
  openPorts,
  outcomeRow,
  stepRow,
  turnRow,
  type TestPorts,
} from './testing/index.js';
import { verifyPage, type BrokenInvariant } from './verify-store.js';

const clock = new SystemClock();
let ports: TestPorts;
beforeEach(async () => {
  ports = await openPorts();
});
afterEach(() => ports.store.close());

async function plantConversation(id: string, change: Partial<Conversation> = {}): Promise<void> {
  const at = new Date().toISOString();
  const row = { title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await ports.store.insertConversation({ _id: id, user_id: 'ann', ...row, ...change });
}

/** A turn without calls that has ended. */
async function plantTurn(conversation_id: string, number: number, change: Partial<Turn> = {}): Promise<Turn> {
  const _id = `turn_${conversation_id}_${number}`;
  const place = { conversation_id, turn_id: _id };
  const turn = {
    ...turnRow(number),
    _id,
    conversation_id,
    status: 'completed' as const,
    due_at: null,
    ...change,
  };
  await ports.store.insertTurn(turn);
  await ports.store.claim({ ...claimRow(_id, 'orchestrator-1', 1), ...place });
  await ports.store.commitStep({ ...stepRow(1), _id: `${_id}:1`, ...place, turn_number: number });
  return turn;
}

async function verifyAll(store: Store = ports.store) {
  const sums = { pages: 0, conversations: 0, turns: 0 };
  const broken: BrokenInvariant[] = [];
  for (let from: Parameters<typeof verifyPage>[2] | undefined = { conversation: '' }; from;) {
    const page: Awaited<ReturnType<typeof verifyPage>> = await verifyPage(store, clock, from);
    sums.pages++;
    sums.conversations += page.conversations;
    sums.turns += page.turns;
    broken.push(...page.broken);
    from = page.next;
  }
  return { ...sums, broken };
}

/** The same store, with some of its operations replaced. */
function altered(change: Partial<Store>): Store {
  return new Proxy(ports.store, {
    get: (target, name) => Reflect.get(name in change ? change : target, name).bind(target) as unknown,
  });
}

describe('verifyPage', () => {
  it('checks every turn of every conversation once, page by page', async () => {
    for (let number = 1; number <= 620; number++) await plantTurn('conv_long', number);
    for (const id of ['conv_a', 'conv_b', 'conv_z']) {
      await plantConversation(id);
      await plantTurn(id, 1);
    }
    await plantConversation('conv_long');
    await plantConversation('conv_empty');
    expect(await verifyAll()).toEqual({ pages: 2, conversations: 5, turns: 623, broken: [] });
  });

  it('finds a broken turn wherever it is, and names it', async () => {
    await plantConversation('conv_1');
    for (let number = 1; number <= 120; number++) await plantTurn('conv_1', number);
    const step = { ...stepRow(2), _id: 'turn_conv_1_7:2', turn_id: 'turn_conv_1_7' };
    await ports.store.commitStep({ ...step, conversation_id: 'conv_1', turn_number: 7 });
    expect((await verifyAll()).broken).toEqual([
      { invariant: 'one_end', row: 'turn_conv_1_7:2', conversation_id: 'conv_1', turn_id: 'turn_conv_1_7' },
    ]);
  });

  it('finds a turn that was taken up too early', async () => {
    await plantConversation('conv_1');
    const first = { ...turnRow(1), _id: 'turn_open', conversation_id: 'conv_1', due_at: 1 };
    await ports.store.insertTurn(first);
    await plantTurn('conv_1', 2);
    expect((await verifyAll()).broken).toMatchObject([
      { invariant: 'one_turn_at_a_time', turn_id: 'turn_conv_1_2' },
    ]);
  });

  it.each([
    ['in the middle', [1, 3]],
    ['at the start', [2, 3]],
  ])('finds that a turn is missing %s', async (_where, numbers) => {
    await plantConversation('conv_1');
    for (const number of numbers) await plantTurn('conv_1', number);
    expect((await verifyAll()).broken).toEqual([
      { invariant: 'turns_in_order', row: 'conv_1', conversation_id: 'conv_1' },
    ]);
  });

  it('finds content that is still there a day after its deletion, and leaves alone what is being removed', async () => {
    const day = 24 * 3_600_000;
    await plantConversation('conv_old', { deleted_at: new Date(Date.now() - day - 60_000).toISOString() });
    await plantConversation('conv_new', { deleted_at: new Date(Date.now() - day + 60_000).toISOString() });
    for (const id of ['conv_old', 'conv_new']) await plantTurn(id, 2);
    expect((await verifyAll()).broken).toEqual([
      { invariant: 'deleted_is_removed', row: 'conv_old', conversation_id: 'conv_old' },
    ]);
  });

  it('raises no false alarm about a turn that changes while it is read', async () => {
    await plantConversation('conv_1');
    const turn = await plantTurn('conv_1', 1);
    let readings = 0;
    // The first reading has the turn's row as it was after its step, and no step yet.
    const readJournals: Store['readJournals'] = async (id, turns) => {
      const journals = await ports.store.readJournals(id, turns);
      return readings++ > 0 ? journals : journals.map((journal) => ({ ...journal, steps: [] }));
    };
    expect((await verifyAll(altered({ readJournals }))).broken).toEqual([]);
    expect(readings).toBeGreaterThan(0);
    const readJournal: Store['readJournal'] = async (id) => ({
      ...(await ports.store.readJournal(id))!,
      steps: [],
    });
    const { broken } = await verifyAll(
      altered({
        readJournal,
        readJournals: async (_id, turns) =>
          (await ports.store.readJournals('conv_1', turns)).map((journal) => ({ ...journal, steps: [] })),
      }),
    );
    expect(broken.map(({ invariant, turn_id }) => [invariant, turn_id])).toEqual([
      ['status_of_end', turn._id],
      ['stays_due', turn._id],
    ]);
  });

  it('raises no false alarm about a conversation that is deleted meanwhile', async () => {
    await plantConversation('conv_1');
    await plantTurn('conv_1', 1, { status: 'failed' });
    const readJournal: Store['readJournal'] = async (id) => {
      await ports.store.updateConversation('conv_1', { deleted_at: new Date().toISOString() });
      return ports.store.readJournal(id);
    };
    expect((await verifyAll()).broken).toHaveLength(1);
    expect((await verifyAll(altered({ readJournal }))).broken).toEqual([]);
  });

  it('names rows that no version writes, and goes on with the others', async () => {
    for (const id of ['conv_1', 'conv_2', 'conv_3']) await plantConversation(id);
    await plantTurn('conv_1', 1);
    await plantTurn('conv_1', 2);
    await plantTurn('conv_2', 1);
    await plantTurn('conv_3', 1, { status: 'failed' });
    const unreadable = new Error('not JSON');
    const readJournals: Store['readJournals'] = async (id, turns) => {
      if (turns.some(({ _id }) => _id === 'turn_conv_1_1')) throw unreadable;
      return ports.store.readJournals(id, turns);
    };
    const readJournal: Store['readJournal'] = async (id) => {
      if (id === 'turn_conv_1_1') throw unreadable;
      return ports.store.readJournal(id);
    };
    const listTurns: Store['listTurns'] = async (id, page) => {
      if (id === 'conv_2') throw unreadable;
      return ports.store.listTurns(id, page);
    };
    const { broken } = await verifyAll(altered({ readJournals, readJournal, listTurns }));
    expect(broken.map(({ invariant, row }) => [invariant, row])).toEqual([
      ['readable', 'turn_conv_1_1'],
      ['readable', 'conv_2'],
      ['status_of_end', 'turn_conv_3_1'],
    ]);
  });

  it('names switches that no process can obey, once', async () => {
    await plantConversation('conv_1');
    for (let number = 1; number <= 510; number++) await plantTurn('conv_1', number);
    const good = { kind: 'toolset' as const, name: 'web', by: 'olga', at: new Date().toISOString() };
    await ports.store.putSwitch({ _id: 'toolset:web', ...good });
    expect((await verifyAll()).broken).toEqual([]);
    await ports.store.putSwitch({ _id: 'toolset:math', ...good });
    await ports.store.putSwitch({ _id: 'queue:all', ...good, kind: 'queue' } as unknown as Switch);
    expect((await verifyAll()).broken).toEqual([
      { invariant: 'readable', row: 'switches queue:all' },
      { invariant: 'readable', row: 'switches toolset:math' },
    ]);
  });

  it('says when the switches cannot be read, and takes none for none', async () => {
    const failing = (error: Error) => verifyAll(altered({ listSwitches: () => Promise.reject(error) }));
    expect((await failing(new UnreadableRowError('not JSON'))).broken).toEqual([
      { invariant: 'readable', row: 'switches' },
    ]);
    expect((await failing(new StoreSetupError('no such table'))).broken).toEqual([]);
    await expect(failing(new StoreUnavailableError('down'))).rejects.toThrow('down');
  });

  it('gives up when the store is unavailable', async () => {
    await plantConversation('conv_1');
    await plantTurn('conv_1', 1);
    const down = async () => Promise.reject(new StoreUnavailableError('down'));
    for (const operation of ['listTurns', 'readJournals', 'listUnendedTurns', 'getConversation'])
      await expect(verifyAll(altered({ [operation]: down }))).rejects.toThrow('down');
  });

  it('checks the calls of turns', async () => {
    await plantConversation('conv_1');
    await ports.store.insertTurn(turnRow(1));
    await ports.store.claim(claimRow('turn_1', 'orchestrator-1', 1));
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.settle(outcomeRow(1, {}));
    expect((await verifyAll()).broken).toEqual([
      { invariant: 'outcome_claimed', row: callId(1), conversation_id: 'conv_1', turn_id: 'turn_1' },
    ]);
  });
});
