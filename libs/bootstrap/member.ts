import type { ProcessLoad, Role } from '#contracts';
import type { FaultPoint } from '#faults';
import type { AuditTrail } from '#journal';
import type { Bus, BusObserver } from '#messaging';
import type { Logger } from '#observability';
import type { Store } from '#store';
import { FollowingClock, type Random, type Time } from '#time';
import { Heartbeat } from './heartbeat.js';
import { Peers } from './peers.js';
import { claimWhenKnown } from './claim-when-known.js';
import { createProcessId } from './process-identity.js';
import { Switches } from './switches.js';

/** The identity with which a bus connects, and its source of time. */
export interface BusIdentity extends Time {
  role: Role;
  processId: string;
  observer?: BusObserver;
}

export interface MemberOptions extends Time {
  role: Role;
  store: Store;
  createBus: (identity: BusIdentity) => Bus;
  logger: Logger;
  /** The fault point for code in this process. */
  faultPoint: FaultPoint;
  isDraining?: () => boolean;
  /** Called when other processes count this one as dead; it must exit. */
  onGone: () => void;
  auditTrail?: AuditTrail;
}

/** One process's part in the fleet: its name, its row, its bus, and its knowledge of the others. */
export class Member implements Time {
  readonly processId: string;
  /** The store for the process's work; see `claimWhenKnown`. */
  readonly store: Store;
  readonly bus: Bus;
  readonly peers: Peers;
  readonly switches: Switches;
  /** Its time of day is the store's. */
  readonly clock: FollowingClock;
  readonly random: Random;
  readonly faultPoint: FaultPoint;
  readonly auditTrail: AuditTrail | undefined;
  private readonly heartbeat: Heartbeat;
  private readLoad: () => ProcessLoad = () => ({});

  constructor(options: MemberOptions) {
    const { role, store, createBus, logger, onGone, random, faultPoint } = options;
    const { isDraining = () => false } = options;
    this.clock = new FollowingClock(options.clock);
    this.random = random;
    this.faultPoint = faultPoint;
    this.auditTrail = options.auditTrail;
    const { clock } = this;
    this.processId = createProcessId(role, random);
    this.bus = createBus({ role, processId: this.processId, clock, random });
    const { processId } = this;
    this.switches = new Switches({ processId, store, logger });
    const drains = () => isDraining() || this.switches.drains;
    this.heartbeat = new Heartbeat({
      store,
      role,
      processId,
      load: () => ({ ...this.readLoad(), ...(drains() && { draining: true }) }),
      logger,
      onGone,
      clock,
      onRound: () => {
        void this.peers.readRound();
        void this.switches.read();
      },
    });
    this.store = claimWhenKnown(store, this.heartbeat, () => this.switches.read());
    const own = () => this.heartbeat.own();
    this.peers = new Peers({ store, bus: this.bus, ownIds: [processId], own, logger, clock, random });
  }

  /** The parts with which a role runs. */
  get part() {
    const { store, bus, peers, switches, processId, clock, random, faultPoint, auditTrail } = this;
    return { store, bus, peers, switches, processId, clock, random, faultPoint, auditTrail };
  }

  /** Writes the row first: a claim whose owner has no row counts as a dead process's. */
  async start(): Promise<void> {
    await this.heartbeat.start();
    await Promise.all([this.switches.read(), this.bus.open()]);
  }

  /** `read` is asked before each beat. */
  reportLoad(read: () => ProcessLoad): void {
    this.readLoad = read;
  }

  /** Removes the row, which tells every process that this one is dead. */
  leave(): Promise<void> {
    return this.heartbeat.leave();
  }
}
