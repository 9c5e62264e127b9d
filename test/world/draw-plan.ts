import { FAULT_POINTS, type FaultPointName } from '../../libs/faults/fault-point-names.js';
import { Random } from '../soak/random.js';
import { drawDeathlessPlan } from './draw-deathless-plan.js';
import { CALM, MOODY, type Weather } from './faults.js';
import { drawSwitches } from './operator.js';
import type { Kind } from './simulated-process.js';
import { BLOWS, OUTAGES, type Blow, type Outage, type Strike } from './strikes.js';
import type { WalkPlan } from './walk.js';

/** Which kinds of process pass a point; settling is everybody's. */
export const PASSED_BY: Record<FaultPointName, readonly Kind[]> = {
  turn_inserted: ['gateway'],
  turn_announced: ['gateway'],
  turn_hinted: ['gateway'],
  stop_committed: ['gateway'],
  stop_settled: ['gateway'],
  settle_claimed: ['gateway', 'orchestrator'],
  hint_received: ['orchestrator'],
  turn_claimed: ['orchestrator'],
  token_streamed: ['orchestrator'],
  model_answered: ['orchestrator'],
  step_committed: ['orchestrator'],
  call_published: ['orchestrator'],
  result_received: ['orchestrator'],
  cancel_committed: ['orchestrator'],
  ending_committed: ['orchestrator'],
  turn_ended: ['orchestrator'],
  sweep_acting: ['orchestrator'],
  call_received: ['worker'],
  call_claimed: ['worker'],
  tool_finished: ['worker'],
  outcome_inserted: ['gateway', 'orchestrator', 'worker'],
  result_hinted: ['worker'],
};

const KINDS: readonly Kind[] = ['gateway', 'orchestrator', 'worker'];
/** What a process of this kind passes; points that are passed rarely are drawn more often. */
const PASSAGES = (Object.keys(FAULT_POINTS) as FaultPointName[]).flatMap((point) =>
  PASSED_BY[point].flatMap((kind) =>
    Array.from({ length: isRare(point, kind) ? 6 : 1 }, () => ({ point, kind })),
  ),
);
/** Kills are what the guarantees are about. */
const HOW: readonly Blow[] = ['kill', 'kill', 'kill', ...BLOWS];

export interface PlanOptions {
  /** Nobody is killed or cut off for long; nothing else can be chosen then. */
  noDeaths?: boolean;
  strikes?: number;
  people?: number;
  turnsEach?: number;
  /** Nothing else is struck, and nothing of it at a point. */
  only?: readonly (Blow | Outage)[];
  /** Some more, all at this point. */
  aim?: { how: Blow; kind: Kind; point: FaultPointName };
  /** How likely it is that somebody stops a turn. */
  stops?: number;
  /** How often an operator switches something. */
  switches?: number;
  /** Workers have no store and ask the orchestrators. */
  hasLedger?: boolean;
}

const AIMED = 20;

/** A walk as the seed says: who lives in it, how bad the weather is, what is struck when. */
export function drawPlan(
  seed: number,
  {
    noDeaths,
    strikes = 90,
    people = 3,
    turnsEach = 4,
    only,
    aim,
    stops = 0.15,
    switches = 0,
    hasLedger,
  }: PlanOptions = {},
): WalkPlan {
  if (noDeaths) return drawDeathlessPlan(seed);
  const random = new Random(seed);
  const lastMs = 6_000 + turnsEach * 5_000;
  return {
    seed,
    people,
    turnsEach,
    weather: drawWeather(random),
    model: MOODY,
    skewMs: random.chance(0.5) ? 180_000 : 0,
    stops,
    strikes: [
      ...Array.from({ length: strikes }, () => drawStrike(random, lastMs, only)),
      ...(aim
        ? Array.from({ length: AIMED }, () => ({ ...aim, afterMs: random.float() * lastMs, forMs: 1_000 }))
        : []),
    ],
    switches: drawSwitches(random, switches, lastMs),
    hasLedger,
  };
}

function drawWeather(random: Random): Weather {
  if (random.chance(0.3)) return CALM;
  const rarely = () => (random.chance(0.5) ? random.float() * 0.02 : 0);
  return {
    storeMs: random.pick([2, 10, 40]),
    busMs: random.pick([1, 5, 30]),
    storeFails: rarely(),
    storeIsLate: rarely(),
    losesEvents: rarely(),
    doublesCommands: rarely() * 5,
    refusesCommands: rarely(),
  };
}

function drawStrike(random: Random, lastMs: number, only?: PlanOptions['only']): Strike {
  const afterMs = random.float() * lastMs;
  const forMs = random.pick([100, 1_000, 4_000, 12_000]) * random.between(0.5, 1.5);
  if (only) {
    const how = random.pick(only);
    return isBlow(how) ? { how, kind: random.pick(KINDS), afterMs, forMs } : { how, afterMs, forMs };
  }
  if (random.chance(0.05)) return { how: random.pick(OUTAGES), afterMs, forMs };
  const how = random.pick(HOW);
  if (random.chance(0.2)) return { how, kind: random.pick(KINDS), afterMs, forMs };
  return { how, ...random.pick(PASSAGES), afterMs, forMs };
}

/** Gateways settle calls only for people who stop a turn. */
function isRare(point: FaultPointName, kind: Kind): boolean {
  return kind === 'gateway' && (point === 'settle_claimed' || point === 'outcome_inserted');
}

function isBlow(how: Blow | Outage): how is Blow {
  return BLOWS.some((blow) => blow === how);
}
