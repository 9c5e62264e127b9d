import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Body, Message } from '#contracts';
import type { Bus } from '#messaging';
import { SeededRandom, VirtualClock } from '#time/testing';
import { testSettings } from '../testing/test-settings.js';
import { CallShares, type CallSharesDeps } from './call-shares.js';

type Counts = Body<'calls.counted'>;
type Look = Awaited<ReturnType<Bus['inspect']>> | 'away';

const open: CallShares[] = [];
const random = new SeededRandom(1);
let clock: VirtualClock;
beforeEach(() => void (clock = new VirtualClock(random)));
afterEach(() => {
  for (const shares of open.splice(0)) shares.close();
});

interface World {
  places?: number;
  processes?: number;
  queue?: Look;
  share?: number;
}

/** One orchestrator's shares; what it says, and what surrounds it. */
function create({ places = 8, processes = 1, queue = { messages: 0, consumers: 1 }, share = 0.25 }: World) {
  const world = { places, processes, queue, looks: 0 };
  const told: Counts[] = [];
  let held: number | undefined;
  const noted: unknown[][] = [];
  const released: string[] = [];
  const send = async (to: string, { body }: Message) => {
    expect(to).toBe('orchestrator.all');
    told.push(body as Counts);
  };
  const inspect = async () => {
    world.looks++;
    if (world.queue === 'away') throw new Error('The broker is away.');
    return world.queue;
  };
  const shares = new CallShares({
    bus: { send },
    processId: 'me',
    peers: { countLiving: () => world.processes },
    metrics: { callsHeld: { set: (_labels: unknown, count: number) => (held = count) } },
    settings: testSettings({ fairShareOf: () => share }),
    placesOf: () => world.places,
    queues: { inspect },
    refusals: { note: (...given: unknown[]) => noted.push(given) },
    clock,
    random,
  } as unknown as CallSharesDeps);
  open.push(shares);
  const ask = (id: string) => shares.ask('slow', id, userOf(id), () => released.push(id));
  const askAll = (user: string, count: number) =>
    Array.from({ length: count }, (_, n) => ask(`${user}-${n}`)).filter(Boolean).length;
  const end = (id: string) => shares.end('slow', id, userOf(id));
  const hear = (orchestrator: string, toolsets: Counts['toolsets']) =>
    shares.counted({ orchestrator, toolsets });
  const heldNow = () => held;
  return { shares, world, told, noted, released, ask, askAll, end, hear, heldNow };
}

const userOf = (id: string) => id.split('-')[0]!;
const ofGreedy = (sent: number, held = 0) => {
  const counts = { sent, held };
  return { toolset: 'slow', ...counts, users: [{ user_id: 'greedy', ...counts }] };
};

describe('the calls of one orchestrator', () => {
  it('are held beyond the share of their user, and released in order as the other calls of that user end', () => {
    const { ask, askAll, end, released, heldNow, noted } = create({});
    // Eight run, and two may wait.
    expect([askAll('greedy', 13), heldNow()]).toEqual([10, 3]);
    expect(noted).toHaveLength(3);
    expect(noted[0]).toEqual(['fair_share', { user_id: 'greedy', toolset: 'slow' }]);
    expect([ask('greedy-12'), noted.length, heldNow()]).toEqual([false, 3, 3]);
    end('greedy-0');
    expect([released, heldNow()]).toEqual([['greedy-10'], 2]);
    expect(ask('greedy-10')).toBe(true);
    // What is held may end as well: its turn was stopped.
    end('greedy-11');
    end('greedy-1');
    expect([released, heldNow()]).toEqual([['greedy-10', 'greedy-12'], 0]);
  });

  it('admit the first calls of every other user at once', () => {
    const { askAll } = create({});
    expect([askAll('greedy', 13), askAll('ann', 3), askAll('bob', 1)]).toEqual([10, 2, 1]);
  });

  it('are counted when a worker runs them, from any sender', () => {
    const { shares, askAll, end } = create({});
    for (let n = 0; n < 10; n++) shares.count('slow', `greedy-before${n}`, 'greedy');
    expect(askAll('greedy', 1)).toBe(0);
    end('greedy-before0');
    expect(askAll('greedy', 1)).toBe(1);
  });

  it('are never held when the share is everything or not configured', async () => {
    const whole = create({ share: 1, processes: 2 });
    expect(whole.askAll('greedy', 100)).toBe(100);
    await clock.advance(5_000);
    expect([whole.told, whole.world.looks, whole.heldNow()]).toEqual([[], 0, undefined]);
  });

  it('are counted as soon as an account exists', () => {
    const { shares } = create({});
    expect(['local', 'ann', 'local'].map((user) => shares.counts(user))).toEqual([false, true, true]);
  });
});

describe('a check of the queue', () => {
  it.each<[string, Look]>([
    ['has no consumers', { messages: 4, consumers: 0 }],
    ['does not exist', 'missing'],
  ])('releases everything when it %s, so that the calls find out', async (_what, queue) => {
    const { askAll, released } = create({ queue });
    askAll('greedy', 13);
    await clock.advance(0);
    expect(released).toHaveLength(3);
  });

  it('reports nothing while the broker is away, and happens once a second', async () => {
    const { askAll, ask, world, released } = create({ queue: 'away' });
    askAll('greedy', 13);
    await clock.advance(0);
    for (let n = 20; n < 29; n++) {
      ask(`greedy-${n}`);
      await clock.advance(100);
    }
    expect([world.looks, released]).toEqual([1, []]);
    await clock.advance(300);
    expect(world.looks).toBe(2);
  });

  it('finds the calls of a dead orchestrator by two checks that agree', async () => {
    const { askAll, world, heldNow } = create({ queue: { messages: 20, consumers: 1 } });
    askAll('greedy', 8);
    await clock.advance(2_100);
    expect(world.looks).toBeGreaterThanOrEqual(2);
    askAll('ann', 3);
    expect(heldNow()).toBe(1);
  });
});

describe('several orchestrators', () => {
  it('do not report their calls while there is only one', async () => {
    const { askAll, told } = create({ processes: 1 });
    askAll('greedy', 13);
    await clock.advance(10_000);
    expect(told).toEqual([]);
  });

  it('report once they have their part of the places: at a change, then every second', async () => {
    const { ask, askAll, told } = create({ processes: 2 });
    askAll('greedy', 3);
    expect(told).toEqual([]);
    ask('greedy-3');
    expect(told).toEqual([{ orchestrator: 'me', toolsets: [ofGreedy(4)] }]);
    // Beyond its part only when the others have had the time to tell.
    expect(ask('greedy-4')).toBe(false);
    await clock.advance(50);
    expect(ask('greedy-4')).toBe(true);
    expect(told).toHaveLength(1);
    await clock.advance(200);
    expect(told.slice(1)).toEqual([{ orchestrator: 'me', toolsets: [ofGreedy(5)] }]);
    await clock.advance(3_000);
    expect(told).toHaveLength(5);
  });

  it('do not answer each other: a report of another one is no change here', async () => {
    const { hear, askAll, told } = create({ processes: 2 });
    hear('other', [ofGreedy(4, 2)]);
    expect(told).toEqual([]);
    askAll('greedy', 1);
    for (let second = 0; second < 4; second++) {
      hear('other', [ofGreedy(4, 2)]);
      await clock.advance(1_000);
    }
    expect(told.length).toBeLessThanOrEqual(5);
  });

  it('report the end once, when there was no change for some seconds', async () => {
    const { askAll, end, told, world } = create({ processes: 2 });
    askAll('greedy', 4);
    for (const n of [0, 1, 2]) end(`greedy-${n}`);
    await clock.advance(2_000);
    expect(told.at(-1)!.toolsets).toEqual([ofGreedy(1)]);
    await clock.advance(3_000);
    expect(told.at(-1)).toEqual({ orchestrator: 'me', toolsets: [] });
    const { length } = told;
    await clock.advance(10_000);
    expect(told).toHaveLength(length);
    // From the beginning: the others may have begun meanwhile.
    expect([askAll('greedy', 5), told.length]).toEqual([4, length + 1]);
    for (let n = 0; n < 5; n++) end(`greedy-${n}`);
    await clock.advance(10_000);
    world.processes = 1;
    const { length: all } = told;
    expect([askAll('greedy', 13), told.length]).toEqual([10, all]);
  });

  it('report what they release when workers arrive', async () => {
    const { shares, world, askAll, told } = create({ processes: 2 });
    askAll('greedy', 13);
    await clock.advance(600);
    expect(told.at(-1)!.toolsets).toEqual([ofGreedy(10, 3)]);
    world.places = 12;
    shares.placesChanged();
    expect(told.at(-1)!.toolsets).toEqual([ofGreedy(13)]);
  });

  it('report the users with the most calls, and the sum of all others', async () => {
    const { shares, told } = create({ processes: 2, places: 2_000 });
    for (let n = 0; n < 1_000; n++) shares.count('slow', `user${n}-0`, `user${n}`);
    await clock.advance(250);
    for (const id of ['user999-1', 'user999-2']) shares.count('slow', id, 'user999');
    await clock.advance(250);
    const [counted] = told.at(-1)!.toolsets;
    expect([counted!.sent, counted!.users.length]).toEqual([1_002, 500]);
    expect(counted!.users[0]).toEqual({ user_id: 'user999', sent: 3, held: 0 });
  });

  it('count the reports of others, not their own, until those have no more calls there', async () => {
    const { hear, askAll, released, heldNow } = create({ processes: 2 });
    hear('me', [ofGreedy(10)]);
    expect(askAll('bob', 3)).toBe(3);
    hear('other', [ofGreedy(10)]);
    expect([askAll('greedy', 3), askAll('ann', 1)]).toEqual([0, 1]);
    await clock.advance(50);
    expect([released, heldNow()]).toEqual([[], 3]);
    hear('other', []);
    expect([released, heldNow()]).toEqual([['greedy-0', 'greedy-1', 'greedy-2'], 0]);
  });
});

it('CallShares reports, checks and releases nothing after it is closed', async () => {
  const { shares, askAll, told, world, released } = create({ processes: 2 });
  askAll('greedy', 13);
  await clock.advance(0);
  shares.close();
  const before = [told.length, world.looks, released.length];
  await clock.advance(10_000);
  expect([told.length, world.looks, released.length]).toEqual(before);
});
