import { CALM, STEADY } from './faults.js';
import type { WalkPlan } from './walk.js';

type IsBroken = (plan: WalkPlan) => Promise<boolean>;

/**
 * A world as small as it gets in which a promise is still broken: one person, one turn each, fair weather and a steady
 * model where that is enough, and the fewest strikes, none of which can be left out.
 */
export async function shrink(plan: WalkPlan, isBroken: IsBroken): Promise<WalkPlan> {
  let smallest = plan;
  for (const smaller of [
    { weather: CALM },
    { model: STEADY },
    { skewMs: 0 },
    { people: 1 },
    { turnsEach: 1 },
  ]) {
    const candidate = { ...smallest, ...smaller };
    if (await isBroken(candidate)) smallest = candidate;
  }
  return withFewestStrikes(smallest, isBroken);
}

/** Leaves halves out, then quarters, and so on (delta debugging: Zeller and Hildebrandt, 2002). */
async function withFewestStrikes(plan: WalkPlan, isBroken: IsBroken): Promise<WalkPlan> {
  let { strikes } = plan;
  let size = Math.ceil(strikes.length / 2);
  while (size > 0) {
    const before = strikes.length;
    for (let from = 0; from < strikes.length;) {
      const fewer = [...strikes.slice(0, from), ...strikes.slice(from + size)];
      if (await isBroken({ ...plan, strikes: fewer })) strikes = fewer;
      else from += size;
    }
    // What could not be left out may be now that others are gone.
    size = size === 1 && strikes.length < before ? 1 : Math.floor(size / 2);
  }
  return { ...plan, strikes };
}
