import { describe, expect, it } from '@jest/globals';
import { SmallFleet } from './testing/small-fleet.js';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** Sorted. */
async function timesToSuspect(run: (fleet: SmallFleet) => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (const seed of SEEDS) times.push(await run(new SmallFleet(seed)));
  return times.sort((a, b) => a - b);
}

describe('a killed process', () => {
  it('is suspect after a second to processes that have been connected for long', async () => {
    const times = await timesToSuspect(async (fleet) => {
      const [observer, owner] = [await fleet.start('worker'), await fleet.start('worker')];
      await fleet.clock.advance(20_000 + fleet.random.float() * 2_000);
      owner.kill();
      const { isSuspect, tookMs } = await observer.askSuspect(owner);
      expect(isSuspect).toBe(true);
      return tookMs;
    });
    expect(times.at(-1)).toBeLessThanOrEqual(1_010);
  });

  it('is suspect within 5 s, usually within 4 s, to one that has just started', async () => {
    const times = await timesToSuspect(async (fleet) => {
      const owner = await fleet.start('worker');
      await fleet.clock.advance(fleet.random.float() * 10_000);
      const observer = await fleet.start('worker');
      await fleet.clock.advance(fleet.random.float() * 6_000);
      owner.kill();
      const { isSuspect, tookMs } = await observer.askSuspect(owner);
      expect(isSuspect).toBe(true);
      return tookMs;
    });
    expect(times[SEEDS.length / 2]).toBeLessThanOrEqual(4_000);
    expect(times.at(-1)).toBeLessThanOrEqual(5_100);
  });

  it('is suspect within 4 s to one that started after its death', async () => {
    const times = await timesToSuspect(async (fleet) => {
      const owner = await fleet.start('worker');
      await fleet.clock.advance(fleet.random.float() * 5_000);
      owner.kill();
      const observer = await fleet.start('worker');
      const { isSuspect, tookMs } = await observer.askSuspect(owner);
      expect(isSuspect).toBe(true);
      return tookMs;
    });
    expect(times.at(-1)).toBeLessThanOrEqual(4_000);
  });
});

describe('a living process', () => {
  it('is never suspect while the store is in time, regardless of broker restarts', async () => {
    for (const seed of SEEDS) {
      const fleet = new SmallFleet(seed);
      const [young, owner] = [await fleet.start('worker'), await fleet.start('worker')];
      for (let restart = 0; restart < 5; restart++) {
        fleet.restartBroker(10_000);
        await fleet.clock.advance(fleet.random.float() * 12_000);
        expect(await young.askSuspect(owner)).toMatchObject({ isSuspect: false });
      }
    }
  });

  it('is rarely suspect, and never dead, in a restart of the broker with a slow store and stalls', async () => {
    let suspected = 0;
    let asked = 0;
    for (const seed of SEEDS) {
      const fleet = new SmallFleet(seed);
      const members = [
        await fleet.start('worker'),
        await fleet.start('worker'),
        await fleet.start('orchestrator'),
      ];
      fleet.storeMs = 1_500;
      for (let round = 0; round < 5; round++) {
        fleet.restartBroker(6_000);
        const stalled = round % 2 === 0 ? members.slice(0, 1) : members;
        if (fleet.random.float() < 0.5) await stall(fleet, stalled);
        else await fleet.clock.advance(fleet.random.float() * 3_000);
        const [observer, owner] = [members[0]!, members[1]!];
        const { isSuspect } = await observer.askSuspect(owner);
        asked++;
        if (isSuspect) suspected++;
        const answers: boolean[] = [];
        for (const other of members.slice(1))
          void observer.peers.isDead(other.id).then((is) => answers.push(is));
        await fleet.clock.runUntil('both are judged', () => answers.length === 2, 60_000);
        expect(answers).toEqual([false, false]);
      }
    }
    expect(suspected).toBeLessThan(asked / 20);
  });
});

async function stall(fleet: SmallFleet, members: SmallFleet['members']): Promise<void> {
  for (const { clock } of members) clock.freeze();
  await fleet.clock.advance(fleet.random.float() * 5_000);
  for (const { clock } of members) clock.thaw();
}
