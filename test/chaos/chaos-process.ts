import { Drain, Member } from '#bootstrap';
import type { Role } from '#contracts';
import type { Bus, MemoryBroker } from '#messaging';
import { createLogger, type Logger } from '#observability';
import type { Store } from '#store';
import type { Faults } from './faults.js';
import { FaultyBus } from './faulty-bus.js';
import { faultyStore } from './faulty-store.js';
import { Life } from './life.js';
import type { Trace } from './trace.js';

/** What all processes of a run share: the world outside of them. */
export interface Surroundings {
  store: Store;
  broker: MemoryBroker;
  /** Never breaks: what was sent arrives although its sender is dead. */
  wire: Bus;
  faults: Faults;
  trace: Trace;
  now: () => number;
}

/** What a process reads and writes through, and who it is. */
export interface Equipment {
  life: Life;
  store: Store;
  bus: FaultyBus;
  member: Member;
  log: Logger;
}

/** One process of the fleet, which can be killed, frozen, cut off from the broker, and drained. */
export class ChaosProcess {
  readonly life: Life;
  private readonly equipment: Equipment;
  private drain: ((graceMs: number) => Promise<void>) | undefined;

  constructor(
    readonly role: Role,
    surroundings: Surroundings,
    /** It found itself counted as dead and must end. */
    onGone: () => void,
  ) {
    const { broker, wire, faults, trace, now } = surroundings;
    // The member makes the id; its store and bus need the life that goes with it.
    const life = new Life('', now);
    const store = faultyStore(surroundings.store, faults, life, trace);
    const log = createLogger({
      role,
      level: 'error',
      pretty: false,
      destination: { write: (line) => void trace.errors.push(line) },
    });
    const bus = new FaultyBus(broker, wire, faults, life);
    const member = new Member({ role, store, createBus: () => bus, logger: log, onGone });
    life.processId = member.processId;
    this.life = life;
    this.equipment = { life, store, bus, member, log };
  }

  get inHand(): number {
    return this.equipment.bus.inHand;
  }

  /** Rejects when its store or broker is away: then it has to be started anew. Resolves when it is killed meanwhile. */
  async start(begin: (equipment: Equipment) => Promise<(graceMs: number) => Promise<void>>): Promise<void> {
    const starting = async () => {
      await this.equipment.member.start();
      this.drain = await begin(this.equipment);
    };
    await Promise.race([starting(), this.life.ended]);
  }

  /** Its connections close; what it was doing is never finished. Its row stays. */
  async kill(): Promise<void> {
    this.life.end();
    await this.equipment.bus.close();
  }

  async freeze(ms: number, faults: Faults): Promise<void> {
    this.life.freeze();
    await faults.delay(ms);
    this.life.thaw();
  }

  async disconnect(ms: number, faults: Faults): Promise<void> {
    await this.equipment.bus.disconnect();
    await faults.delay(ms);
    await this.equipment.bus.reconnect();
  }

  /** As SIGTERM does: finishes or drops its work, removes its row, then closes its connections. */
  async leave(graceMs: number): Promise<void> {
    this.life.wasDoubtful = true;
    const { bus, member, log } = this.equipment;
    const drained = new Promise<void>((exit) => {
      const drain = new Drain({
        logger: log,
        health: { markDraining: () => undefined },
        leave: () => member.leave(),
        bus,
        store: { close: () => Promise.resolve() },
        graceMs,
        exit: () => exit(),
      });
      drain.addStep('work', (leftMs) => this.drain?.(leftMs) ?? Promise.resolve());
      void drain.run('chaos');
    });
    await Promise.race([drained, this.life.ended]);
    this.life.end();
  }
}
