import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MUTANTS } from '../world/mutants/index.js';
import type { Mutant } from '../world/mutants/mutant.js';
import { PlayerPool } from '../world/player-pool.js';
import type { Search, Searched } from '../world/search.js';

const FIRST: Search = { from: 1, seeds: 200, strikes: 40 };

describe('a mistake in the product', () => {
  const pool = new PlayerPool();
  const searches = new Map<Mutant, Promise<Searched>>();
  const all = Object.entries(MUTANTS).flatMap(([area, mutants]) =>
    mutants.map((mutant) => ({ title: `${area}: ${mutant.name}`, mutant })),
  );

  beforeAll(async () => {
    await pool.open(2);
    // All are under way at once, and each test waits for its own.
    for (const { mutant } of all) {
      const searching = pool.search({ ...FIRST, ...mutant.search }, mutant.edit);
      searching.catch(() => undefined);
      searches.set(mutant, searching);
    }
  });

  afterAll(() => pool.close());

  it.each(all)(
    'is found: $title',
    async ({ mutant }) => {
      const { seed, found } = await searches.get(mutant)!;
      const { from } = { ...FIRST, ...mutant.search };
      expect({ seeds: `${from} to ${seed}`, found }).toEqual({
        seeds: expect.any(String),
        found: expect.arrayContaining([expect.anything()]),
      });
    },
    600_000,
  );

  it('is not found in the same worlds where none was made', async () => {
    const looked = new Map<string, Set<number>>();
    for (const { mutant } of all) {
      const { from, seeds: _seeds, ...options } = { ...FIRST, ...mutant.search };
      const seeds = looked.get(JSON.stringify(options)) ?? new Set();
      for (let { seed } = await searches.get(mutant)!; seed >= from; seed--) seeds.add(seed);
      looked.set(JSON.stringify(options), seeds);
    }
    const worlds = [...looked].flatMap(([options, seeds]) =>
      [...seeds].map((from): Search => ({ ...(JSON.parse(options) as Search), from, seeds: 1 })),
    );
    const found = await Promise.all(worlds.map(async (world) => ({ world, ...(await pool.search(world)) })));
    expect(found.filter((searched) => searched.found.length > 0)).toEqual([]);
  }, 600_000);

  it('cannot be one that was not made', async () => {
    const edit = { file: 'libs/journal/retrying-store.ts', find: 'nothing of the kind', replace: '' };
    await expect(pool.search({ from: 1, seeds: 1 }, edit)).rejects.toThrow('exactly once');
  });
});
