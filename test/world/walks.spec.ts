import { afterAll, describe, expect, it } from '@jest/globals';
import { drawPlan, type PlanOptions } from './draw-plan.js';
import { Tally } from './tally.js';
import { Walk } from './walk.js';

const BATCH = 25;
const BATCHES = Array.from({ length: 7 }, (_, i) => ({ first: i * BATCH + 1, last: (i + 1) * BATCH }));
/** Seeds of walks that are aimed at what no other has struck. */
const AIMED_FROM = 1_001;
const TRIES = 8;

async function logOf(seed: number): Promise<string[]> {
  const walk = new Walk(drawPlan(seed));
  const log: string[] = [];
  walk.world.onNote = (line) => log.push(`${walk.world.clock.now().toFixed(3)} ${line}`);
  await walk.run();
  return log;
}

describe('a world of real gateways, orchestrators and tool workers', () => {
  const tally = new Tally();

  async function walk(seed: number, options?: PlanOptions): Promise<void> {
    const walked = new Walk(drawPlan(seed, options));
    const found = await walked.run();
    tally.add(walked.world);
    // `npm run world -- --seed <seed> -v` plays it again as a log.
    expect({ seed, options, found }).toEqual({ seed, options, found: [] });
  }

  afterAll(() => void process.stdout.write(`${tally.table()}\n`));

  it.each(BATCHES)(
    'keeps every promise, whatever is killed, frozen, cut off, lost, doubled or late (seeds $first to $last)',
    async ({ first, last }) => {
      for (let seed = first; seed <= last; seed++) await walk(seed);
    },
    600_000,
  );

  it('keeps them where it is struck rarely, too', async () => {
    let seed = AIMED_FROM;
    for (const { how, kind, point } of tally.cells().filter(({ count }) => count === 0)) {
      if (point === 'anywhere') continue;
      const isStruck = () =>
        tally
          .cells()
          .some((cell) => cell.how === how && cell.kind === kind && cell.point === point && cell.count > 0);
      for (let tries = 0; tries < TRIES && !isStruck(); tries++)
        await walk(seed++, { strikes: 10, stops: 0.9, aim: { how, kind, point } });
    }
  }, 600_000);

  it('was struck often enough, in every way, at every point', () => {
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

  it('is the same world again from the same seed', async () => {
    for (const seed of [3, 13, 23]) expect(await logOf(seed)).toEqual(await logOf(seed));
  }, 120_000);
});
