import type { FaultPointName } from '#faults';
import type { Kind, SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** What is done to one process. `stop`: told to end; `freeze_host`: its machine is suspended. */
/** The longest that a connection takes to come back. */
const RECONNECT_MS = 1_600;

export const BLOWS = ['kill', 'freeze', 'freeze_host', 'cut_bus', 'cut_store', 'delay', 'stop'] as const;
/** What is done to the broker or the store, and so to all. `broker_wiped`: it restarts, and its queues are empty. */
export const OUTAGES = ['broker_restart', 'broker_wiped', 'store_away', 'alarm'] as const;
/** Of every process at once, as when all run on one machine. */
const FREEZE_ALL = 'freeze_all';
export type Blow = (typeof BLOWS)[number];
export type Outage = (typeof OUTAGES)[number];

/** At the first passage of `point` after `afterMs`; without a point at that time, whatever the process does. */
export type Strike =
  | { how: Blow; kind: Kind; point?: FaultPointName; afterMs: number; forMs: number }
  | { how: Outage | typeof FREEZE_ALL; afterMs: number; forMs: number };
type Struck = Extract<Strike, { kind: Kind }>;

/** Carries out a walk's strikes, and starts what they end again. */
export class Strikes {
  /** `how kind point`: how often. */
  readonly counts = new Map<string, number>();
  private readonly waiting: Struck[] = [];

  constructor(
    private readonly world: World,
    strikes: readonly Strike[],
  ) {
    for (const strike of strikes)
      world.clock.after(strike.afterMs, () => {
        if (world.isCalm) return;
        if (!('kind' in strike)) this.breakDown(strike.how, strike.forMs);
        else if (strike.point) this.waiting.push(strike);
        else this.strikeAny(strike);
      });
  }

  /** For a process's `faultPoint`. */
  pass(process: SimulatedProcess, name: FaultPointName): Promise<void> | undefined {
    // Nothing of a process that has just been stopped goes on.
    if (process.clock.state !== 'running') return new Promise((resolve) => process.clock.soon(resolve));
    const at = this.waiting.findIndex(({ point, kind }) => point === name && kind === process.kind);
    if (at < 0 || this.world.isCalm) return undefined;
    const [strike] = this.waiting.splice(at, 1);
    return this.strike(process, strike!);
  }

  private strikeAny(strike: Struck): void {
    const { world } = this;
    const able = world
      .living()
      .filter(({ kind, isReady, clock }) => kind === strike.kind && isReady && clock.state === 'running');
    if (able.length > 0) void this.strike(able[world.random.choose(able.length)]!, strike);
  }

  private strike(process: SimulatedProcess, { how, forMs, point }: Struck): Promise<void> | undefined {
    const { world } = this;
    this.count(`${how} ${process.kind} ${point ?? 'anywhere'}`);
    world.note(`strike ${how} ${process.place} ${point ?? ''} for ${Math.round(forMs)}`);
    const { place, clock, id: process_id } = process;
    const until = world.clock.wall() + forMs;
    switch (how) {
      case 'kill':
        world.end(process, 'kill');
        // One of its own: what waits for a promise is kept as long as that.
        return new Promise<never>(() => undefined);
      case 'stop':
        // A program that is still starting does not listen to the signal yet.
        if (!process.isReady)
          return this.strike(process, { how: 'kill', kind: process.kind, point, afterMs: 0, forMs });
        void process.stop();
        return undefined;
      case 'freeze':
      case 'freeze_host':
        this.freeze(process, forMs, { host: how === 'freeze_host' });
        return new Promise((resolve) => clock.soon(resolve));
      case 'cut_bus':
        process.cutBus(forMs);
        // Its beats travel over the broker.
        if (world.hasLedger && process.kind === 'worker')
          world.live({ what: 'cut_off', place, process_id, until: until + RECONNECT_MS });
        return undefined;
      case 'cut_store':
        process.isCutFromStore = true;
        world.live({ what: 'cut_off', place, process_id, until });
        world.clock.after(forMs, () => (process.isCutFromStore = false));
        return undefined;
      case 'delay':
        return clock.sleep(forMs);
    }
  }

  private freezeAll(forMs: number): void {
    const { world } = this;
    for (const process of world.living()) if (process.clock.state === 'running') this.freeze(process, forMs);
  }

  private freeze(process: SimulatedProcess, forMs: number, { host = false } = {}): void {
    const { world } = this;
    process.freeze({ host });
    const { place, id: process_id } = process;
    world.live({ what: 'froze', place, process_id, until: world.clock.wall() + forMs });
    world.clock.after(forMs, () => process.thaw());
  }

  private breakDown(how: Outage | typeof FREEZE_ALL, forMs: number): void {
    const { world } = this;
    this.count(how);
    if (how === FREEZE_ALL) return this.freezeAll(forMs);
    world.live({ what: 'struck', place: how === 'store_away' ? 'store' : 'broker', how });
    if (how === 'broker_restart' || how === 'broker_wiped')
      world.restartBroker(forMs, { isWiped: how === 'broker_wiped' });
    else if (how === 'store_away') {
      world.faults.isStoreAway = true;
      world.clock.after(forMs, () => (world.faults.isStoreAway = false));
    } else {
      world.broker.isBlocked = true;
      world.clock.after(forMs, () => world.broker.unblock());
    }
  }

  private count(name: string): void {
    this.world.isUntouched = false;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
