import type { Journal } from '#contracts';
import { endingStep, openCalls, statusOf } from '#turn';
import type { FreshView, StoredConversation } from '../soak/evidence.js';
import { judgeApprovals } from '../soak/judge/approvals.js';
import { judgeCalls, recordCalls } from '../soak/judge/calls.js';
import type { Finding } from '../soak/judge/finding.js';
import { judgeTurns } from '../soak/judge/turns.js';
import { judgeViewers } from '../soak/judge/viewers.js';
import { Random } from '../soak/random.js';
import { Device } from './device.js';
import type { Weather } from './faults.js';
import { Person } from './person.js';
import { rowKey } from './promises.js';
import { SimulatedGateway } from './simulated-gateway.js';
import { SimulatedOrchestrator } from './simulated-orchestrator.js';
import type { Kind } from './simulated-process.js';
import { SimulatedWorker } from './simulated-worker.js';
import { Strikes, type Strike } from './strikes.js';
import { World } from './world.js';

export interface WalkPlan {
  seed: number;
  people: number;
  turnsEach: number;
  weather: Weather;
  strikes: Strike[];
  /** How far apart the wall clocks of two machines may be. */
  skewMs: number;
}

const KINDS = { gateway: SimulatedGateway, orchestrator: SimulatedOrchestrator, worker: SimulatedWorker };
const OF_EACH = 2;
/** Without strikes everything ends within that; what has not is stuck. */
const LONGEST_MS = 15 * 60_000;
const USER = 'local';
const ALL = 100_000;

/** One world from its beginning to its end, and what was not as promised. */
export class Walk {
  readonly world: World;
  readonly people: Person[];
  private readonly random: Random;

  constructor(private readonly plan: WalkPlan) {
    this.world = new World(plan.seed);
    this.random = new Random(plan.seed);
    const { random, world } = this;
    this.people = Array.from(
      { length: plan.people },
      (_, i) => new Person(world, `p${i + 1}`, plan.turnsEach, random.fork()),
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
    world.strikes = new Strikes(world, plan.strikes);
    let living = this.people.length;
    for (const person of this.people) void person.live().then(() => living--);
    await this.until('everybody has seen the end of their turns', () => living === 0, LONGEST_MS);
    world.isCalm = true;
    await this.settle();
    return [...world.promises.findings, ...(await this.judge())];
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

  /** Until nothing is open any more in the store. */
  private async settle(): Promise<void> {
    const { world } = this;
    const isOpen = (journal: Journal) =>
      !endingStep(journal) || openCalls(journal).length > 0 || journal.turn.status !== statusOf(journal);
    for (let waited = 0; waited < 300; waited++) {
      const stored = await this.readStore();
      if (!stored.some(({ journals }) => journals.some(isOpen))) return;
      await world.clock.advance(1_000);
    }
  }

  private async readStore(): Promise<StoredConversation[]> {
    const { database } = this.world;
    const conversations = await database.listConversations(USER, { skip: 0, limit: ALL });
    return Promise.all(
      conversations.map(async (conversation) => {
        const turns = await database.listTurns(conversation._id, { limit: ALL });
        return { conversation, journals: await database.readJournals(conversation._id, turns) };
      }),
    );
  }

  private async judge(): Promise<Finding[]> {
    const { world } = this;
    const store = await this.readStore();
    const { starts, lives, requests } = world;
    const onOneClock = store.map((stored) => this.byWorldClock(stored));
    const records = recordCalls({ store: onOneClock, starts });
    const seen = this.people.flatMap(({ devices }) => devices.map(({ name, seen }) => ({ name, seen })));
    const fresh = await this.lookAfresh(store);
    const viewers = await judgeViewers({ viewers: seen, fresh, store });
    world.ends.push(...store.flatMap(({ journals }) => journals.map((journal) => statusOf(journal))));
    const dead = await world.database.listDeadLetters(ALL);
    return [
      ...judgeTurns({ store, requests }),
      ...judgeCalls({ store: onOneClock, starts, lives, requests }, records),
      ...judgeApprovals({ requests }, records),
      ...viewers.findings,
      ...dead.map(({ queue, reason }): Finding => ({
        goal: 'broken rule',
        what: `a message died in ${queue}: ${reason}`,
      })),
      ...this.people
        .filter(({ isDone }) => !isDone)
        .map(({ name }): Finding => ({ goal: 'lost', what: `${name} did not see the end of everything` })),
    ];
  }

  /** The rows at the times at which they were written: their own are of clocks that are apart. */
  private byWorldClock({ conversation, journals }: StoredConversation): StoredConversation {
    const { writtenAt } = this.world.promises;
    const restamp = <T extends { _id: string; at: string }>(
      collection: Parameters<typeof rowKey>[0],
      rows: T[],
    ) =>
      rows.map((row) => ({
        ...row,
        at: new Date(writtenAt.get(rowKey(collection, row._id)) ?? Date.parse(row.at)).toISOString(),
      }));
    return {
      conversation,
      journals: journals.map(({ turn, steps, claims, outcomes, answers }) => ({
        turn,
        steps: restamp('steps', steps),
        claims: restamp('claims', claims),
        outcomes: restamp('outcomes', outcomes),
        answers: restamp('answers', answers),
      })),
    };
  }

  /** What somebody is shown who looks at each conversation for the first time. */
  private async lookAfresh(store: StoredConversation[]): Promise<FreshView[]> {
    const { world } = this;
    const newcomer = new Device(world, 'newcomer', USER, this.random.fork());
    for (const { conversation } of store) newcomer.follow(conversation._id);
    const sawAll = () => store.every(({ conversation }) => newcomer.views.has(conversation._id));
    await world.clock.runUntil('a newcomer is shown every conversation', sawAll, 60_000);
    return [...newcomer.views.values()].map((view) => ({ gateway: 'any', view }));
  }
}

/** Found on the way: what comes after it says nothing. */
class BrokenPromise extends Error {}
