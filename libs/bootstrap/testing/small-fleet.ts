import type { Message, ProcessRow, Role } from '#contracts';
import type { PublishOutcome } from '#messaging';
import { createLogger } from '#observability';
import { FollowingClock } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Heartbeat } from '../heartbeat.js';
import { Peers } from '../peers.js';
import { createProcessId } from '../process-identity.js';

const logger = createLogger({ role: 'fleet', level: 'silent', pretty: false });

/** Processes that only beat and watch each other, a slow store, and a broker that may restart. */
export class SmallFleet {
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly rows = new Map<string, ProcessRow>();
  readonly members: FleetMember[] = [];
  /** The maximum time that the store takes before an operation, and again after it. */
  storeMs = 1;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.clock = new VirtualClock(this.random.fork());
  }

  async start(role: Role): Promise<FleetMember> {
    const member = new FleetMember(this, role);
    this.members.push(member);
    void member.start();
    await this.clock.runUntil('its row is there', () => member.isStarted, 60_000);
    return member;
  }

  /** Breaks every connection at once; each comes back within `withinMs`. */
  restartBroker(withinMs: number): void {
    for (const member of this.members) member.reconnect(this.random.float() * withinMs);
  }

  send(from: FleetMember, key: string): PublishOutcome {
    if (!from.isConnected) return 'unknown';
    return this.members.some((member) => member.isConnected && key.endsWith(member.key))
      ? 'confirmed'
      : 'returned';
  }
}

/** One process of the fleet. */
export class FleetMember {
  readonly id: string;
  readonly key: string;
  readonly peers: Peers;
  readonly clock;
  isStarted = false;
  private readonly heartbeat: Heartbeat;
  private connectedAt: number | undefined;
  private readonly random: SeededRandom;

  constructor(
    private readonly fleet: SmallFleet,
    role: Role,
  ) {
    this.clock = fleet.clock.view();
    this.random = fleet.random.fork();
    this.id = createProcessId(role, this.random);
    this.key = this.id.slice(role.length + 1);
    const { clock, random, id: processId } = this;
    const store = this.slowStore();
    const onRound = () => void this.peers.readRound();
    const followed = new FollowingClock(clock);
    const onGone = () => this.kill();
    this.heartbeat = new Heartbeat({ store, role, processId, logger, onGone, clock: followed, onRound });
    const bus = {
      send: async (key: string, _message: Message) => fleet.send(this, key),
      connectedForMs: () => this.connectedForMs(),
    };
    const own = () => this.heartbeat.own();
    this.peers = new Peers({ store, bus, ownIds: [processId], own, logger, clock, random });
  }

  get isConnected(): boolean {
    return this.connectedAt !== undefined && this.clock.state !== 'dead';
  }

  connectedForMs(): number {
    return this.isConnected ? this.fleet.clock.now() - this.connectedAt! : 0;
  }

  async start(): Promise<void> {
    await this.heartbeat.start();
    this.connectedAt = this.fleet.clock.now();
    this.isStarted = true;
  }

  kill(): void {
    this.clock.kill();
  }

  reconnect(afterMs: number): void {
    this.connectedAt = undefined;
    this.clock.after(afterMs, () => (this.connectedAt = this.fleet.clock.now()));
  }

  /** The process's verdict on another one, and the time of the verdict. */
  async askSuspect(other: FleetMember): Promise<{ isSuspect: boolean; tookMs: number }> {
    const startedAt = this.fleet.clock.now();
    let answer: boolean | undefined;
    void this.peers.isSuspect(other.id).then((isSuspect) => (answer = isSuspect));
    await this.fleet.clock.runUntil('there is an answer', () => answer !== undefined, 60_000);
    return { isSuspect: answer!, tookMs: this.fleet.clock.now() - startedAt };
  }

  private slowStore() {
    const { rows } = this.fleet;
    const slowly = async <T>(act: () => T): Promise<T> => {
      await this.clock.sleep(this.random.float() * this.fleet.storeMs);
      const answer = act();
      await this.clock.sleep(this.random.float() * this.fleet.storeMs);
      return answer;
    };
    return {
      insertProcess: (row: ProcessRow) => slowly(() => void rows.set(row._id, { ...row })),
      beat: (id: string) =>
        slowly(() => {
          const row = rows.get(id);
          if (row) row.beat++;
          return row ? ('beaten' as const) : ('gone' as const);
        }),
      time: () => slowly(() => this.fleet.clock.wall()),
      removeProcess: (id: string) => slowly(() => void rows.delete(id)),
      listProcesses: () => slowly(() => [...rows.values()].map((row) => ({ ...row }))),
    };
  }
}
