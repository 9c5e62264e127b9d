import { describe, expect, it } from '@jest/globals';
import { describeClockContract } from './clock-contract.js';
import { SeededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';

const createClock = (seed = 1) => new VirtualClock(new SeededRandom(seed));

describe('VirtualClock', () => {
  describeClockContract(() => {
    const clock = createClock();
    return { clock, pass: (ms) => clock.advance(ms) };
  });

  it('has the same order for the same seed, and others for others', async () => {
    const run = async (seed: number) => {
      const clock = createClock(seed);
      const order: string[] = [];
      for (const name of 'abcdef') clock.after(5, () => order.push(name));
      await clock.advance(5);
      return order.join('');
    };
    expect(await run(1)).toBe(await run(1));
    const orders = new Set(await Promise.all([1, 2, 3, 4, 5, 6].map(run)));
    expect(orders.size).toBeGreaterThan(1);
  });

  it('runs all consequences of a task before the next one', async () => {
    const clock = createClock();
    const log: string[] = [];
    const work = async (name: string) => {
      for (let step = 0; step < 20; step++) await Promise.resolve();
      log.push(name);
    };
    clock.after(1, () => void work('a').then(() => log.push('a!')));
    clock.after(2, () => log.push('b'));
    await clock.advance(2);
    expect(log).toEqual(['a', 'a!', 'b']);
  });

  it('passes hours instantly, and stops at the given time', async () => {
    const clock = createClock();
    let beats = 0;
    clock.every(2_000, () => beats++);
    await clock.advance(3_600_000);
    expect(beats).toBe(1_800);
    await clock.runUntil('ten more', () => beats === 1_810, 60_000);
    expect(clock.now()).toBe(3_620_000);
    await expect(clock.runUntil('a miracle', () => false, 5_000)).rejects.toThrow('a miracle');
  });

  it('runs due tasks while time does not advance', async () => {
    const clock = createClock();
    const calls: string[] = [];
    clock.soon(() => clock.soon(() => calls.push('second')));
    clock.after(1, () => calls.push('later'));
    await clock.runUntilIdle();
    expect([calls, clock.now()]).toEqual([['second'], 0]);
  });

  it('refuses to be advanced by two callers at once', async () => {
    const clock = createClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('moves already');
    await first;
  });
});

describe('the VirtualClock of one process', () => {
  describeClockContract(() => {
    const world = createClock();
    return { clock: world.view({ wallAheadMs: 120_000 }), pass: (ms) => world.advance(ms) };
  });

  it('runs nothing while it is frozen, and jumps in time at the thaw', async () => {
    const world = createClock();
    const [frozen, other] = [world.view(), world.view()];
    const calls: string[] = [];
    for (const ms of [10, 20]) frozen.after(ms, () => calls.push(`frozen ${ms} at ${frozen.now()}`));
    frozen.after(200, () => calls.push(`later at ${frozen.now()}`));
    other.after(20, () => calls.push('other'));
    frozen.freeze();
    await world.advance(100);
    expect(calls).toEqual(['other']);
    frozen.thaw();
    await world.runUntilIdle();
    expect(calls.slice(1).sort()).toEqual(['frozen 10 at 100', 'frozen 20 at 100']);
    await world.advance(100);
    expect(calls).toContain('later at 200');
  });

  it('runs overdue timers at the thaw in an order drawn from the seed', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const world = createClock(seed);
      const view = world.view();
      const order: number[] = [];
      for (const ms of [1, 2, 3]) view.after(ms, () => order.push(ms));
      view.freeze();
      await world.advance(10);
      view.thaw();
      await world.runUntilIdle();
      orders.add(order.join());
    }
    expect(orders.size).toBeGreaterThan(3);
  });

  it('stops with its host: the time of day jumps, the monotonic clock does not', async () => {
    const world = createClock();
    const view = world.view({ wallAheadMs: -60_000 });
    const calls: number[] = [];
    view.after(30, () => calls.push(view.now()));
    view.after(80, () => calls.push(view.now()));
    view.freeze({ host: true });
    await world.advance(50);
    view.thaw();
    expect([view.now(), view.wall() - world.wall()]).toEqual([0, -60_000]);
    await world.advance(30);
    expect(calls).toEqual([30]);
    await world.advance(50);
    expect(calls).toEqual([30, 80]);
  });

  it('runs nothing more once it is killed', async () => {
    const world = createClock();
    const view = world.view();
    const calls: string[] = [];
    view.after(1, () => calls.push('timer'));
    void view.sleep(1).then(() => calls.push('sleep'));
    view.kill();
    view.soon(() => calls.push('soon'));
    await world.advance(10);
    expect(calls).toEqual([]);
    expect(() => view.freeze()).toThrow('dead');
  });
});

it('VirtualClock ids look like those of the machine, and repeat for the same seed', () => {
  const [one, same, other] = [7, 7, 8].map((seed) => new SeededRandom(seed));
  expect(one!.id('step-')).toMatch(
    /^step-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(same!.id('step-')).not.toBe(one!.id('step-'));
  const [a, b] = [new SeededRandom(7), new SeededRandom(7)];
  expect([a.id(), a.float(), a.jitter(100)]).toEqual([b.id(), b.float(), b.jitter(100)]);
  expect(other!.id()).not.toBe(new SeededRandom(7).id());
  expect(a.fork().float()).toBe(b.fork().float());
});
