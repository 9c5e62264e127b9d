import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { createStore, type Store } from '#store';
import type { ChaosProcess } from './chaos-process.js';
import { CALM, Faults } from './faults.js';
import { Fleet } from './fleet.js';
import { judge } from './judge.js';
import { labModel } from './lab-model.js';
import { Monkey } from './monkey.js';
import { Person } from './person.js';
import { Random } from './random.js';
import { Trace } from './trace.js';
import { VirtualClock } from './virtual-clock.js';

const START_LIMIT_MS = 120_000;
const LIFE_LIMIT_MS = 15 * 60_000;
const REST_LIMIT_MS = 15 * 60_000;
/** A page that missed something hears of it when its gateway reads again, or wonders at the silence. */
const LAST_LOOK_MS = 60_000;
const POLL_MS = 250;

const QUEUES = ['turns', 'results', 'tools.lab', 'tools.rare', 'dead-letters'];

export interface ChaosReport {
  seed: number;
  /** What should never be; empty when all is well. */
  violations: string[];
  /** What happened, in numbers: the same seed gives the same. */
  summary: string;
}

/** One history of a whole fleet under a storm of faults, lived through in virtual time, and what the judge says of it. */
export async function runChaos(seed: number): Promise<ChaosReport> {
  const clock = new VirtualClock();
  const random = new Random(seed);
  const { restore } = clock.install();
  const { random: realRandom } = Math;
  Math.random = randomByTime(seed, clock);
  const store = createStore({ dataDir: ':memory:' });
  try {
    await store.open();
    return await new ChaosRun(seed, clock, random, store).run();
  } finally {
    Math.random = realRandom;
    restore();
    await store.close();
  }
}

/**
 * What the program draws depends on the time alone: a library that draws a stock for later, once per process, would
 * make the second run differ from the first.
 */
function randomByTime(seed: number, clock: VirtualClock): () => number {
  let source = { at: -1, random: new Random(0) };
  return () => {
    const at = clock.elapsedMs;
    if (source.at !== at) source = { at, random: new Random(seed + Math.round(at * 1_000)) };
    return source.random.next();
  };
}

class ChaosRun {
  private readonly trace = new Trace();
  private readonly broker = new MemoryBroker();
  private readonly wire: Bus = createMemoryBus({ broker: this.broker });
  private readonly faults: Faults;
  private readonly model;
  private readonly fleet: Fleet;
  private readonly people: Person[];

  constructor(
    private readonly seed: number,
    private readonly clock: VirtualClock,
    private readonly random: Random,
    private readonly store: Store,
  ) {
    const { broker, wire, trace } = this;
    this.faults = new Faults(random.fork());
    this.model = labModel(random.fork());
    const now = () => clock.elapsedMs;
    const surroundings = { store, broker, wire, faults: this.faults, trace, now };
    this.fleet = new Fleet(surroundings, this.model, random.fork());
    const { fleet, faults } = this;
    this.people = ['ann', 'bob', 'cleo'].map(
      (name) => new Person({ fleet, store, faults, trace, random: random.fork() }, name),
    );
  }

  async run(): Promise<ChaosReport> {
    const problems: string[] = [];
    const within = async (what: string, limitMs: number, work: Promise<unknown>) => {
      let isDone = false;
      void work.then(() => (isDone = true));
      if (!(await this.clock.runUntil(() => isDone, limitMs))) problems.push(`${what} took too long`);
    };
    await this.wire.open();
    const starting = Promise.all(this.fleet.places.map((place) => this.fleet.occupy(place)));
    await within('starting', START_LIMIT_MS, starting);
    const monkey = new Monkey(this.fleet, this.faults, this.random.fork());
    void monkey.work();
    void this.look();
    const living = Promise.all(this.people.map((person) => person.live(this.random.integer(3, 6))));
    await within(
      'people’s wishes',
      LIFE_LIMIT_MS / 10,
      this.faults.delay(this.random.between(30_000, 80_000)),
    );
    await within('repairing', LIFE_LIMIT_MS, monkey.stop());
    this.faults.rates = CALM;
    await within('people’s wishes', LIFE_LIMIT_MS, living);
    await within('coming to rest', REST_LIMIT_MS, this.rest());
    const lastMessages = Promise.all(this.people.map((person) => person.writeLast()));
    await within('the last messages', LIFE_LIMIT_MS, lastMessages);
    await within('coming to rest', REST_LIMIT_MS, this.rest());
    await within('the last look', 2 * LAST_LOOK_MS, this.faults.delay(LAST_LOOK_MS));
    return this.report(problems);
  }

  private async report(problems: string[]): Promise<ChaosReport> {
    const { seed, store, trace, people, model, fleet } = this;
    const lives = new Map(fleet.everybody.map(({ life }) => [life.processId, life]));
    const conversations = people.map(({ conversationId, page }) => ({ conversationId, view: page.view }));
    const found = await judge({ store, trace, lives, conversations, requests: model.requests });
    const leftOver = await this.leftOver();
    const { starts, stops, accepted } = trace;
    const seconds = Math.round(this.clock.elapsedMs / 1_000);
    const numbers = [accepted.size, stops.length, starts.length, fleet.everybody.length, seconds];
    const [turns, stopped, started, processes] = numbers;
    const summary = `${turns} turns, ${stopped} stops, ${started} starts, ${processes} processes, ${seconds} s`;
    return { seed, violations: [...problems, ...leftOver, ...found], summary };
  }

  /** Nothing moves any more: every turn is over for good, and every message has been settled. */
  private async rest(): Promise<void> {
    for (;;) {
      await this.faults.delay(POLL_MS);
      const due = await this.store.listDueTurns(Number.MAX_SAFE_INTEGER, 1);
      if (due.length === 0 && (await this.leftOver()).length === 0) return;
    }
  }

  private async leftOver(): Promise<string[]> {
    const queues = await Promise.all(
      QUEUES.map(async (queue) => {
        const state = this.broker.findQueue(queue);
        return state && state.length > 0 ? [`${state.length} messages are left in ${queue}`] : [];
      }),
    );
    const processes = this.fleet.places.flatMap(({ process }) => (process ? [process] : []));
    const held = (process: ChaosProcess) => `${process.inHand} deliveries are held by a ${process.role}`;
    return [...queues.flat(), ...processes.filter(({ inHand }) => inHand > 0).map(held)];
  }

  /** Every page is kept open, whatever happens to the gateway behind it. */
  private async look(): Promise<void> {
    for (;;) {
      for (const person of this.people) if (person.isCutOff) void person.look().catch(() => undefined);
      await this.faults.delay(POLL_MS);
    }
  }
}
