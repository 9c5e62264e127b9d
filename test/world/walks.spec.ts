import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlanOptions } from './draw-plan.js';
import { PlayerPool } from './player-pool.js';
import { Tally } from './tally.js';

const BATCH = 25;
const BATCHES = Array.from({ length: 7 }, (_, i) => ({ first: i * BATCH + 1, last: (i + 1) * BATCH }));
/** Every tenth world is played twice, and the two logs are compared. */
const TWICE = Array.from({ length: 17 }, (_, i) => 10 * i + 3);
/** Seeds of walks that are aimed at what no other has struck. */
const AIMED_FROM = 1_001;
const TRIES = 40;
/** Seeds of walks in which operators switch something. */
const SWITCHED_FROM = 2_001;
/** Seeds of walks in which workers ask the ledger. */
const LEDGER_FROM = 3_001;

describe('a world of real gateways, orchestrators and tool workers', () => {
  const pool = new PlayerPool();
  const tally = new Tally();
  const logs = new Map<number, string[]>();

  beforeAll(() => pool.open(1));

  afterAll(async () => {
    process.stdout.write(`${tally.table()}\n`);
    await pool.close();
  });

  async function walk(seeds: number[], options?: PlanOptions): Promise<void> {
    const logged = options ? [] : seeds.filter((seed) => TWICE.includes(seed));
    for (const { seed, found, counts, log } of await pool.walk({ seeds, options, logged })) {
      tally.add(counts);
      if (logged.includes(seed)) logs.set(seed, log);
      // `npm run world -- --seed <seed> --options '<as JSON>' --shrink -v` plays the smallest such world as a log.
      expect({ seed, options, found }).toEqual({ seed, options, found: [] });
    }
  }

  it.each(BATCHES)(
    'keeps every promise under kills, stalls, cuts, losses, duplicates and delays (seeds $first to $last)',
    ({ first, last }) => walk(Array.from({ length: last - first + 1 }, (_, i) => first + i)),
    600_000,
  );

  it('keeps every promise under rare faults, too', async () => {
    let seed = AIMED_FROM;
    for (const { how, kind, point } of tally.cells().filter(({ count }) => count === 0)) {
      if (point === 'anywhere') continue;
      const isStruck = () =>
        tally
          .cells()
          .some((cell) => cell.how === how && cell.kind === kind && cell.point === point && cell.count > 0);
      for (let tries = 0; tries < TRIES && !isStruck(); tries++)
        await walk([seed++], { strikes: 10, stops: 0.9, aim: { how, kind, point } });
    }
  }, 600_000);

  it('keeps every promise with workers that have no store', async () => {
    const from = (first: number) => Array.from({ length: 25 }, (_, i) => first + i);
    await walk(from(LEDGER_FROM), { hasLedger: true });
    await walk(from(LEDGER_FROM), { hasLedger: true, switches: 12 });
  }, 600_000);

  it('keeps every promise while operators pause, drain and refuse', async () => {
    const from = (first: number) => Array.from({ length: 25 }, (_, i) => first + i);
    await walk(from(SWITCHED_FROM), { switches: 12, strikes: 0 });
    await walk(from(SWITCHED_FROM), { switches: 12 });
  }, 600_000);

  it('was struck often enough by every fault at every point', () => {
    const { faults, turns } = tally;
    const kills = tally.count('kill');
    const freezes = tally.count('freeze') + tally.count('freeze_host');
    const cuts = tally.count('cut_bus') + tally.count('cut_store');
    const enough = { faults: 10_000, kills: 2_500, freezes: 1_000, cuts: 1_000, turns: 2_000 };
    const counted = { faults, kills, freezes, cuts, turns };
    const tooFew = Object.entries(enough).filter(
      ([what, least]) => counted[what as keyof typeof counted] < least,
    );
    expect(tooFew).toEqual([]);
    expect(tally.cells().filter(({ count }) => count === 0)).toEqual([]);
  });

  it('is reproduced by its seed', async () => {
    const again = await pool.walk({ seeds: TWICE, logged: TWICE });
    for (const { log } of again) expect(log.length).toBeGreaterThan(1_000);
    expect(again.map(({ seed, log }) => [seed, log])).toEqual([...logs]);
  }, 600_000);
});
