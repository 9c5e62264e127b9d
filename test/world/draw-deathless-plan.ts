import { Random } from '../soak/random.js';
import { CALM, STEADY } from './faults.js';
import type { Kind } from './simulated-process.js';
import type { Strike } from './strikes.js';
import type { WalkPlan } from './walk.js';

const STRIKES = 120;
/** Who stands still for longer than this may be counted as dead, on a store that takes its time. */
const LONGEST_STALL_MS = 3_000;
const KINDS: readonly Kind[] = ['gateway', 'orchestrator', 'worker'];

/**
 * A walk in which no process dies, however it may look: the broker restarts, one process or all of them stand still, and
 * an operation of the store takes up to three seconds.
 */
export function drawDeathlessPlan(seed: number): WalkPlan {
  const random = new Random(seed);
  const [people, turnsEach] = [3, 4];
  return {
    seed,
    people,
    turnsEach,
    // On its way to the store, and back.
    weather: { ...CALM, storeMs: random.pick([4, 300, 1_500]) },
    model: STEADY,
    skewMs: random.chance(0.5) ? 180_000 : 0,
    stops: 0,
    switches: [],
    strikes: Array.from({ length: STRIKES }, () => drawStrike(random, 60_000)),
  };
}

function drawStrike(random: Random, lastMs: number): Strike {
  const afterMs = random.float() * lastMs;
  const forMs = random.pick([100, 1_000, LONGEST_STALL_MS]) * random.between(0.5, 1);
  if (random.chance(0.4)) return { how: 'broker_restart', afterMs, forMs };
  if (random.chance(0.3)) return { how: 'freeze_all', afterMs, forMs };
  return { how: 'freeze', kind: random.pick(KINDS), afterMs, forMs };
}
