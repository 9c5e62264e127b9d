import { describe, expect, it } from '@jest/globals';
import { FollowingClock } from './following-clock.js';
import { SeededRandom, VirtualClock } from './testing/index.js';

const MINUTES = 60_000;

function aheadBy(wallAheadMs: number) {
  const world = new VirtualClock(new SeededRandom(1));
  const clock = new FollowingClock(world.view({ wallAheadMs }));
  return { world, clock };
}

describe('FollowingClock', () => {
  it('uses the time of its machine before the first sample', () => {
    const { world, clock } = aheadBy(2 * MINUTES);
    expect(clock.wall() - world.wall()).toBe(2 * MINUTES);
  });

  it.each([2 * MINUTES, -3 * MINUTES, 0])('uses the shared time on a machine %d ms ahead', async (ms) => {
    const { world, clock } = aheadBy(ms);
    const askedAt = clock.now();
    await world.advance(10);
    const answer = world.wall();
    await world.advance(10);
    clock.follow(answer, askedAt);
    expect(clock.wall()).toBe(world.wall());
    expect(clock.ownAheadMs).toBe(ms);
    await world.advance(1_000);
    expect(clock.wall()).toBe(world.wall());
  });

  it('is unchanged while samples agree with it', async () => {
    const { world, clock } = aheadBy(MINUTES);
    clock.follow(world.wall(), clock.now());
    const askedAt = clock.now();
    const early = world.wall();
    await world.advance(300);
    clock.follow(early, askedAt);
    expect(clock.wall()).toBe(world.wall());
  });

  it('uses a slow sample only as the first one', async () => {
    const { world, clock } = aheadBy(MINUTES);
    const sample = async () => {
      const askedAt = clock.now();
      const early = world.wall();
      await world.advance(4_000);
      clock.follow(early, askedAt);
    };
    await sample();
    expect(clock.ownAheadMs).toBe(MINUTES + 2_000);
    clock.follow(world.wall(), clock.now());
    expect(clock.ownAheadMs).toBe(MINUTES);
    await sample();
    expect(clock.ownAheadMs).toBe(MINUTES);
  });
});
