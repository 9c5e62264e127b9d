import { parseArgs } from 'node:util';
import { drawLivingPlan } from './draw-living-plan.js';
import { drawPlan, type PlanOptions } from './draw-plan.js';
import { countsOf, Tally } from './tally.js';
import { Walk } from './walk.js';

/*
 * `npm run world -- --seed 7 -v` replays one world as a log; `npm run world -- --minutes 10` looks for a seed that
 * breaks a promise, from `--seed` on; `--living` plays worlds in which nobody dies. Exit code 1 when it finds one.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    strikes: { type: 'string', default: '90' },
    options: { type: 'string', default: '{}' },
    living: { type: 'boolean', default: false },
    verbose: { type: 'boolean', short: 'v', default: false },
  },
});

/** As a failed walk prints them. */
const options = JSON.parse(values.options) as PlanOptions;
const first = Number(values.seed);
const endsAt = performance.now() + Number(values.minutes ?? 0) * 60_000;
const tally = new Tally();
for (let seed = first; seed === first || performance.now() < endsAt; seed++) {
  const plan = values.living
    ? drawLivingPlan(seed)
    : drawPlan(seed, { strikes: Number(values.strikes), ...options });
  const walk = new Walk(plan);
  const { world } = walk;
  if (values.verbose)
    world.onNote = (line) => console.log(`${world.clock.now().toFixed(1).padStart(10)} ${line}`);
  const found = await walk.run();
  tally.add(countsOf(world));
  for (const { goal, what } of found) console.log(`seed ${seed}: ${goal}: ${what}`);
  if (found.length > 0) process.exitCode = 1;
}
console.log(tally.table());
