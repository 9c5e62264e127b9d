import { describe, expect, it } from '@jest/globals';
import { drawPlan } from './draw-plan.js';
import { Tally } from './tally.js';
import { Walk } from './walk.js';

const WALKS = 175;

async function logOf(seed: number): Promise<string[]> {
  const walk = new Walk(drawPlan(seed));
  const log: string[] = [];
  walk.world.onNote = (line) => log.push(`${walk.world.clock.now().toFixed(3)} ${line}`);
  await walk.run();
  return log;
}

describe('a world of real gateways, orchestrators and tool workers', () => {
  const tally = new Tally();

  it('keeps every promise, whatever is killed, frozen, cut off, lost, doubled or late', async () => {
    for (let seed = 1; seed <= WALKS; seed++) {
      const walk = new Walk(drawPlan(seed));
      const found = await walk.run();
      tally.add(walk.world);
      // `npm run world -- --seed <seed> -v` plays it again as a log.
      expect({ seed, found }).toEqual({ seed, found: [] });
    }
    process.stdout.write(`${tally.table()}\n`);
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
  }, 60_000);
});
