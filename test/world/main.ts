import { parseArgs } from 'node:util';
import type { Finding } from '../soak/judge/finding.js';
import { drawPlan, type PlanOptions } from './draw-plan.js';
import { shrink } from './shrink.js';
import { countsOf, Tally } from './tally.js';
import { Walk, type WalkPlan } from './walk.js';
import type { World } from './world.js';

/*
 * `npm run world -- --seed 7 -v` replays one world as a log; `npm run world -- --minutes 10` looks for a seed that
 * breaks a promise, from `--seed` on; `--living` plays worlds in which nobody dies. Exit code 1 when it finds one.
 * `--shrink` looks for the smallest world of that seed in which the promise is still broken, and replays that one.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    strikes: { type: 'string', default: '90' },
    options: { type: 'string', default: '{}' },
    living: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    verbose: { type: 'boolean', short: 'v', default: false },
  },
});

/** As a failed walk prints them. */
const printed = JSON.parse(values.options) as PlanOptions;
const options = { strikes: Number(values.strikes), noDeaths: values.living, ...printed };
const first = Number(values.seed);
const endsAt = performance.now() + Number(values.minutes ?? 0) * 60_000;
const tally = new Tally();
for (let seed = first; seed === first || performance.now() < endsAt; seed++) {
  const plan = drawPlan(seed, options);
  const { world, found } = await play(plan, values.verbose && !values.shrink);
  tally.add(countsOf(world));
  for (const { goal, what } of found) console.log(`seed ${seed}: ${goal}: ${what}`);
  if (found.length === 0) continue;
  process.exitCode = 1;
  if (values.shrink) await showSmallest(plan);
}
console.log(tally.table());

async function play(plan: WalkPlan, isVerbose = false): Promise<{ world: World; found: Finding[] }> {
  const walk = new Walk(plan);
  const { world } = walk;
  if (isVerbose) world.onNote = (line) => console.log(`${world.clock.now().toFixed(1).padStart(10)} ${line}`);
  return { world, found: await walk.run() };
}

async function showSmallest(plan: WalkPlan): Promise<void> {
  const smallest = await shrink(plan, async (smaller) => (await play(smaller)).found.length > 0);
  const { found } = await play(smallest, values.verbose);
  const { strikes, ...rest } = smallest;
  console.log(`The smallest world in which it is still so: ${JSON.stringify(rest)}`);
  for (const strike of strikes) console.log(`  ${JSON.stringify(strike)}`);
  for (const { goal, what } of found) console.log(`  ${goal}: ${what}`);
}
