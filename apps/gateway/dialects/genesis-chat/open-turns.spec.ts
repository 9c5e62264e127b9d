import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { OpenTurns, type Holder } from './open-turns.js';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const place = (name: string) => ({ turn_id: `turn_${name}`, conversation_id: `conv_${name}` });
const ann = (socket: string): Holder => ({ userId: 'ann', socket });

let store: Store;
let ends: Map<string, number | 'gone'>;
let lost: Set<string>;
let now: number;
beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  [ends, lost, now] = [new Map(), new Set(), NOW];
});
afterEach(() => store.close());

function gateway(me: string): OpenTurns {
  return new OpenTurns({
    store,
    me,
    peers: { isDead: () => Promise.resolve(false), isSuspect: async (id) => lost.has(id) },
    endedAt: async (turnId) => ends.get(turnId),
    clock: { wall: () => now },
  });
}
const names = ({ taken }: { taken: { turn_id: string }[] }) => taken.map(({ turn_id }) => turn_id);
const rows = async () => (await store.listBindings('ann', 'genesis-chat')).length;
const isOpen = () => true;
const isNotOpen = () => false;

describe('open turns', () => {
  it('move from a broken socket to the next one, through any gateway, in order', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    for (const name of ['b', 'a']) await one.drop(await one.begin(ann('s1'), place(name)));
    expect(names(await two.takeOver(ann('s2'), isOpen))).toEqual(['turn_b', 'turn_a']);
    expect(names(await one.takeOver(ann('s3'), isOpen))).toEqual([]);
  });

  it('stay with a socket that is open, and report whether it is on another gateway', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    await one.begin(ann('s1'), place('a'));
    expect(await one.takeOver(ann('s2'), isOpen)).toEqual({
      taken: [],
      isMoreHere: true,
      moreAt: new Set(),
    });
    expect(await two.takeOver(ann('s2'), isOpen)).toEqual({
      taken: [],
      isMoreHere: false,
      moreAt: new Set(['gateway-1']),
    });
  });

  it('move from a killed gateway, and from a local socket that closed without a record', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    await one.begin(ann('s1'), place('a'));
    lost.add('gateway-1');
    expect(names(await two.takeOver(ann('s2'), isOpen))).toEqual(['turn_a']);
    expect(names(await two.takeOver(ann('s3'), isNotOpen))).toEqual(['turn_a']);
  });

  it('never move to another user', async () => {
    const one = gateway('gateway-1');
    await one.drop(await one.begin(ann('s1'), place('a')));
    expect(names(await one.takeOver({ userId: 'bob', socket: 's2' }, isOpen))).toEqual([]);
  });

  it('are shared between two sockets that return at once, one broken socket each', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    for (const name of ['a', 'b']) await one.drop(await one.begin(ann(`s-${name}`), place(name)));
    const taken = await Promise.all([one.takeOver(ann('s1'), isOpen), two.takeOver(ann('s2'), isOpen)]);
    expect(taken.map(names).sort()).toEqual([['turn_a'], ['turn_b']]);
  });

  it('move if they ended less than 60 s ago, and are forgotten if they ended earlier or were removed', async () => {
    const one = gateway('gateway-1');
    for (const name of ['old', 'gone', 'new']) await one.drop(await one.begin(ann('s1'), place(name)));
    ends = new Map<string, number | 'gone'>([
      ['turn_old', NOW - 60_000],
      ['turn_gone', 'gone'],
      ['turn_new', NOW - 59_999],
    ]);
    const taken = await one.takeOver(ann('s2'), isOpen);
    expect(names(taken)).toEqual(['turn_new']);
    await one.forget(taken.taken[0]!);
    expect(await rows()).toBe(0);
  });

  it('can move again to a third socket, and leave nothing behind once they are shown', async () => {
    const one = gateway('gateway-1');
    await one.drop(await one.begin(ann('s1'), place('a')));
    const second = await one.takeOver(ann('s2'), isOpen);
    await one.drop(second.taken[0]!);
    const third = await one.takeOver(ann('s3'), isOpen);
    expect(names(third)).toEqual(['turn_a']);
    await one.forget(third.taken[0]!);
    expect(await rows()).toBe(0);
  });

  it('are not shown again when the end of the first socket is recorded after another one has shown them', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    const first = await one.begin(ann('s1'), place('a'));
    lost.add('gateway-1');
    const [second] = (await two.takeOver(ann('s2'), isOpen)).taken;
    await two.forget(second!);
    await one.drop(first);
    expect(names(await two.takeOver(ann('s3'), isOpen))).toEqual([]);
    expect(await rows()).toBe(0);
  });

  it('stay with the socket that took them over when the end of the first one is recorded late', async () => {
    const [one, two] = [gateway('gateway-1'), gateway('gateway-2')];
    const first = await one.begin(ann('s1'), place('a'));
    lost.add('gateway-1');
    expect(names(await two.takeOver(ann('s2'), isOpen))).toEqual(['turn_a']);
    await one.drop(first);
    expect(await two.takeOver(ann('s3'), isOpen)).toMatchObject({ taken: [], isMoreHere: true });
  });

  it('move with a message that is sent again on another socket', async () => {
    const one = gateway('gateway-1');
    await one.drop(await one.begin(ann('s1'), place('a')));
    expect((await one.begin(ann('s2'), place('a'))).attempt).toBe(2);
    expect(names(await one.takeOver(ann('s3'), isOpen))).toEqual([]);
  });

  it('are forgotten when no socket returns', async () => {
    const one = gateway('gateway-1');
    await one.drop(await one.begin(ann('s1'), place('a')));
    await one.forgetOld();
    expect(await rows()).toBe(2);
    ends.set('turn_a', NOW);
    now = NOW + 60_000;
    await one.forgetOld();
    expect(await rows()).toBe(0);
  });
});
