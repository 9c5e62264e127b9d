import type { Finding } from '../soak/judge/finding.js';
import { Random } from '../soak/random.js';
import type { ModelMoods, Weather } from './faults.js';
import { judgeWorld, settle } from './judge-world.js';
import { KINDS, type Kind } from './kinds.js';
import { Operator, type PlannedSwitch } from './operator.js';
import { Person } from './person.js';
import { Strikes, type Strike } from './strikes.js';
import { World } from './world.js';

export interface WalkPlan {
  seed: number;
  people: number;
  turnsEach: number;
  weather: Weather;
  model: ModelMoods;
  strikes: Strike[];
  switches: PlannedSwitch[];
  /** How far apart the wall clocks of two machines may be. */
  skewMs: number;
  /** How likely it is that somebody stops a turn. */
  stops: number;
  /** Workers have no store and ask the orchestrators. */
  hasLedger?: boolean;
}

const OF_EACH = 2;
/** Without strikes everything ends within that; what has not is stuck. */
const LONGEST_MS = 15 * 60_000;

/** One world from its beginning to its end, and what was not as promised. */
export class Walk {
  readonly world: World;
  readonly people: Person[];
  private readonly random: Random;

  constructor(private readonly plan: WalkPlan) {
    this.world = new World(plan.seed, plan.hasLedger);
    this.random = new Random(plan.seed);
    const { random, world } = this;
    this.people = Array.from(
      { length: plan.people },
      (_, i) => new Person(world, `p${i + 1}`, plan, random.fork()),
    );
  }

  /** What was not as promised. It ends as soon as a promise is broken for which there is no need to wait. */
  async run(): Promise<Finding[]> {
    const { world } = this;
    await world.open();
    try {
      return await this.live();
    } catch (error) {
      if (error instanceof BrokenPromise) return world.promises.findings;
      return [{ goal: 'lost', what: String(error) }];
    } finally {
      await world.close();
    }
  }

  private async live(): Promise<Finding[]> {
    const { world, plan } = this;
    world.onEnd = ({ kind, place }) =>
      world.clock.after(this.random.float() * 3_000, () => world.isOver || this.start(kind, place));
    for (const kind of Object.keys(KINDS) as Kind[])
      for (let i = 1; i <= OF_EACH; i++) this.start(kind, `${kind}-${i}`);
    await this.until('every process is ready', () => world.processes.every(({ isReady }) => isReady), 60_000);
    world.faults.weather = plan.weather;
    world.faults.model = plan.model;
    world.strikes = new Strikes(world, plan.strikes);
    new Operator(world, plan.switches);
    let living = this.people.length;
    for (const person of this.people) void person.live().then(() => living--);
    await this.until('everybody has seen the end of their turns', () => living === 0, LONGEST_MS);
    world.isCalm = true;
    await settle(world);
    const devices = this.people.flatMap(({ viewers }) => viewers);
    return [
      ...world.promises.findings,
      ...(await judgeWorld(world, devices, this.random.fork())),
      ...this.people
        .filter(({ isDone }) => !isDone)
        .map(({ name }): Finding => ({ goal: 'lost', what: `${name} did not see the end of everything` })),
    ];
  }

  private start(kind: Kind, place: string): void {
    const wallAheadMs = (this.random.float() - 0.5) * 2 * this.plan.skewMs;
    this.world.add(new KINDS[kind](this.world, place, { wallAheadMs }));
  }

  private async until(what: string, isSo: () => boolean, limitMs: number): Promise<void> {
    const { promises } = this.world;
    await this.world.clock.runUntil(what, () => promises.findings.length > 0 || isSo(), limitMs);
    if (promises.findings.length > 0) throw new BrokenPromise();
  }
}

/** Found on the way: what comes after it says nothing. */
class BrokenPromise extends Error {}
