import { explore, type Exploration } from './explore.js';
import { HARMLESS, MUTANTS } from './mutants.js';
import type { Variant } from './variant.js';
import { WORLDS } from './variants.js';

/*
 * `npm run model:full [-- -v] [words]`: every world to its last state, every mutant, one line each; those whose line
 * has all the words. `-v` shows how each mutant was caught. Exits 1 on a surprise.
 */

interface Job {
  line: string;
  variant: Variant;
  expected: string;
  isExpected: (found: Exploration) => boolean;
}

const sameEnds = (found: Set<string>, wanted: string[]) =>
  found.size === wanted.length && wanted.every((end) => found.has(end));

const jobs: Job[] = [
  ...WORLDS.map(({ variant, ends }) => ({
    line: `world    ${variant.name}`,
    variant,
    expected: `safe and live, ends ${ends.join(' ')}`,
    isExpected: ({ broken, ends: found }: Exploration) => !broken && sameEnds(found, ends),
  })),
  ...MUTANTS.map(({ variant, caughtBy }) => ({
    line: `mutant   ${variant.name}`,
    variant,
    expected: `caught by "${caughtBy.join('" or "')}"`,
    isExpected: ({ broken }: Exploration) => broken !== undefined && caughtBy.includes(broken),
  })),
  ...HARMLESS.map((variant) => ({
    line: `harmless ${variant.name}`,
    variant,
    expected: 'safe and live',
    isExpected: ({ broken }: Exploration) => !broken,
  })),
];

const words = process.argv.slice(2).filter((word) => word !== '-v');
const isVerbose = process.argv.includes('-v');
const startedAt = performance.now();
let surprises = 0;
let states = 0;
for (const job of jobs.filter(({ line }) => words.every((word) => line.includes(word)))) {
  const since = performance.now();
  const found = explore(job.variant);
  states += found.states;
  const isFine = job.isExpected(found);
  if (!isFine) surprises++;
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  const outcome = found.broken
    ? `"${found.broken}" broken after ${found.trace.length} moves`
    : `safe and live, ${found.repeatedModelCalls} repeated model calls, ends ${[...found.ends].sort().join(' ')}`;
  console.log(
    `${isFine ? 'ok      ' : 'SURPRISE'} ${job.line.padEnd(66)} ${String(found.states).padStart(9)} states ${seconds.padStart(6)} s  ${outcome}`,
  );
  if (!isFine) console.log(`         expected: ${job.expected}`);
  if (!isFine || (isVerbose && found.broken))
    console.log(found.trace.map((move) => `           ${move}`).join('\n'));
}
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`${surprises === 0 ? 'PASS' : 'FAIL'}: ${states} states, ${seconds} s, ${surprises} surprises`);
process.exitCode = surprises === 0 ? 0 : 1;
