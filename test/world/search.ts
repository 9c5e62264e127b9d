import type { Finding } from '../soak/judge/finding.js';
import { drawPlan, type PlanOptions } from './draw-plan.js';
import { Walk } from './walk.js';

/** Which worlds are looked at, one after the other, until a promise is broken in one. */
export interface Search extends PlanOptions {
  from: number;
  seeds: number;
}

export interface Searched {
  /** The last world that was looked at. */
  seed: number;
  found: Finding[];
}

/** @public For `player.ts`, which loads this as a program. */
export async function run({ from, seeds, ...options }: Search): Promise<Searched> {
  let searched: Searched = { seed: from, found: [] };
  for (let seed = from; seed < from + seeds && searched.found.length === 0; seed++) {
    searched = { seed, found: await new Walk(drawPlan(seed, options)).run() };
  }
  return searched;
}
