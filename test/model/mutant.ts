import type { PromiseName } from './promises.js';
import type { Rules } from './rules.js';
import { variant, type Slip, type Variant } from './variant.js';

/** A world in which one rule is missing, and the promises of which one must break first. */
export interface Mutant {
  variant: Variant;
  caughtBy: PromiseName[];
}

export type World = Partial<Variant>;

export function slip(name: string, slipped: Slip, world: World, ...caughtBy: PromiseName[]): Mutant {
  return { variant: variant(name, { slips: [slipped], ...world }), caughtBy };
}

export function rule(name: string, rules: Partial<Rules>, world: World, ...caughtBy: PromiseName[]): Mutant {
  return { variant: variant(name, { rules, ...world }), caughtBy };
}
