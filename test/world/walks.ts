import type { Finding } from '../soak/judge/finding.js';
import { drawPlan, type PlanOptions } from './draw-plan.js';
import { countsOf, type Counts } from './tally.js';
import { Walk } from './walk.js';

export interface WalksTask {
  seeds: number[];
  options?: PlanOptions;
  /** Those of which everything that happened is kept, in order. */
  logged?: number[];
}

export interface Walked {
  seed: number;
  found: Finding[];
  counts: Counts;
  log: string[];
}

/** @public For `player.ts`, which loads this as a program. */
export async function run({ seeds, options, logged = [] }: WalksTask): Promise<Walked[]> {
  const walked: Walked[] = [];
  for (const seed of seeds) {
    const walk = new Walk(drawPlan(seed, options));
    const { world } = walk;
    const log: string[] = [];
    if (logged.includes(seed)) world.onNote = (line) => log.push(`${world.clock.now().toFixed(3)} ${line}`);
    const found = await walk.run();
    walked.push({ seed, found, counts: countsOf(world), log });
  }
  return walked;
}
