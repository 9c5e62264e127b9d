import { Drain, type Member, type LedgerMember, type MemberOptions } from '#bootstrap';
import type { Role } from '#contracts';
import type { FaultPoint } from '#faults';
import { Health } from '#observability';
import type { ProcessClock, SeededRandom } from '#time/testing';
import { SimulatedBus } from './simulated-bus.js';
import { SimulatedStore } from './simulated-store.js';
import type { World } from './world.js';

export type Kind = Role;

/** Of a drain's grace, kept for closing. */
const CLOSING_MS = 1_000;

/** What a process plays once it has a row and a bus. */
export interface Part {
  drain(graceMs: number): Promise<void>;
}

/** One process of the world: the real roles and bootstrap rules on its own clock, its own connections. */
export abstract class SimulatedProcess<M extends Member | LedgerMember = Member | LedgerMember> {
  readonly clock: ProcessClock;
  readonly random: SeededRandom;
  readonly member: M;
  protected readonly reach: SimulatedStore;
  private readonly bus: SimulatedBus;
  private part: Part | undefined;
  private stopping: Promise<void> | undefined;
  /** Takes work. */
  isReady = false;
  /** It was told to end, and had the time and the connections to finish what was in hand. */
  hasFinished = false;
  private wasCutInDrain = false;
  /** Ended, however. */
  isOver = false;

  constructor(
    readonly world: World,
    readonly kind: Kind,
    readonly place: string,
    { wallAheadMs }: { wallAheadMs: number },
    createMember: (options: MemberOptions) => M,
  ) {
    this.clock = world.clock.view({ wallAheadMs });
    this.random = world.random.fork();
    const { clock, random } = this;
    this.reach = new SimulatedStore(world, clock, () => this.id);
    this.bus = new SimulatedBus(world, clock, place);
    this.member = createMember({
      role: kind,
      store: this.reach.store,
      createBus: () => this.bus,
      logger: world.logger,
      onGone: () => world.end(this, 'itself'),
      clock,
      random,
      faultPoint: this.faultPoint,
    });
  }

  get id(): string {
    return this.member?.processId ?? '';
  }

  /** Wires the role as its program does. */
  protected abstract play(): Promise<Part>;

  async start(): Promise<void> {
    await this.member.start();
    this.world.note(`${this.place} has joined`);
    this.part = await this.play();
    this.isReady = true;
    this.world.note(`${this.place} is ready`);
  }

  /** SIGTERM: an orderly end. While it starts nobody listens to it yet. */
  stop(): Promise<void> {
    if (!this.part) return Promise.resolve(this.world.end(this, 'kill'));
    this.stopping ??= this.drain(10_000);
    return this.stopping;
  }

  private async drain(graceMs: number): Promise<void> {
    const { clock, member, bus, world } = this;
    this.isReady = false;
    const toldAt = clock.now();
    const leave = () => {
      const tookMs = clock.now() - toldAt;
      const isUndisturbed = bus.connectedForMs() >= tookMs && !this.wasCutInDrain;
      const hasLeftNothing = !world.promises.hasOpenQuestion(this.id);
      this.hasFinished = tookMs < graceMs - CLOSING_MS && isUndisturbed && hasLeftNothing;
      return member.leave();
    };
    const drain = new Drain({
      logger: world.logger,
      health: new Health(clock),
      graceMs,
      clock,
      leave,
      bus,
      store: this.reach.store,
      exit: () => world.end(this, 'drain'),
    });
    drain.addStep(this.place, (left) => this.part!.drain(left));
    await drain.run('SIGTERM');
  }

  /** SIGKILL: nothing of it happens any more; what had left it may arrive. */
  kill(): void {
    this.isReady = false;
    this.isOver = true;
    this.clock.kill();
    this.bus.cut({ lose: this.world.random.float() < 0.5 });
    this.disconnectClients();
  }

  freeze(options?: { host?: boolean }): void {
    this.world.isUntouched = false;
    this.clock.freeze(options);
  }

  thaw(): void {
    if (this.clock.state === 'frozen') this.clock.thaw();
  }

  /** It does not come back to the broker before `forMs` are over. */
  cutBus(forMs = 0): void {
    this.world.isUntouched = false;
    this.bus.cut({ forMs });
  }

  readonly faultPoint: FaultPoint = (name) => this.world.strikes?.pass(this, name);

  set isCutFromStore(isCut: boolean) {
    this.world.isUntouched = false;
    this.reach.isCut = isCut;
    this.wasCutInDrain ||= isCut && this.stopping !== undefined;
  }

  protected disconnectClients(): void {}
}
