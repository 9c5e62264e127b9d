import type { Role } from '#contracts';
import { faultPoint } from '#faults';
import type { Bus, PublishOutcome } from '#messaging';
import { createMetrics, Health, observeCalls, type Logger, type Metrics } from '#observability';
import type { Store } from '#store';
import type { Clock, Random, Time } from '#time';
import { withBusFaults } from './bus-faults.js';
import { Drain } from './drain.js';
import { Member, type BusIdentity } from './member.js';

export interface ServiceOptions extends Time {
  logger: Logger;
  store: Store;
  drainGraceMs: number;
  /** Settings that look like a mistake but are valid. */
  notices: readonly string[];
}

/**
 * The parts of every operating system process, whatever roles it plays: a store, health, metrics, and one orderly end.
 * Call `open`, then `join` for each role, then `ready`.
 */
export class Service implements Time {
  readonly clock: Clock;
  readonly random: Random;
  readonly health: Health;
  readonly metrics: Metrics = createMetrics();
  readonly store: Store;
  readonly drain: Drain;
  private readonly members: Member[] = [];

  constructor(private readonly options: ServiceOptions) {
    const { logger, store, drainGraceMs: graceMs, clock, random } = options;
    this.clock = clock;
    this.random = random;
    this.health = new Health(clock);
    const { health, metrics } = this;
    this.store = observeCalls(store, clock, ({ method, outcome, seconds }) =>
      metrics.storeLatency.observe({ operation: method, outcome }, seconds),
    );
    this.drain = new Drain({
      logger,
      health,
      graceMs,
      clock,
      leave: async () => void (await Promise.all(this.members.map((member) => member.leave()))),
      bus: { close: async () => void (await Promise.all(this.members.map(({ bus }) => bus.close()))) },
      store,
    });
  }

  /** Throws `StoreSetupError` with a clear sentence. */
  async open(): Promise<void> {
    for (const notice of this.options.notices) this.options.logger.warn(notice);
    await this.store.open();
    this.health.addCheck('store', () => this.store.ping());
  }

  /** Takes a role: a row in `processes`, then a bus. Throws `BusSetupError` with a clear sentence. */
  async join(role: Role, createBus: (identity: BusIdentity) => Bus): Promise<Member> {
    const { clock, random } = this;
    const { logger } = this.options;
    const member = new Member({
      role,
      store: this.store,
      createBus: (identity) => this.countPublishes(withBusFaults(createBus(identity), random)),
      logger,
      clock,
      random,
      faultPoint,
      onGone: () => process.exit(1),
    });
    this.members.push(member);
    await member.start();
    this.health.addCheck('bus', () => this.members.every(({ bus }) => bus.takesMessages()));
    return member;
  }

  private countPublishes(bus: Bus): Bus {
    return observeCalls(bus, this.clock, ({ method, outcome, result, args }) => {
      if (outcome === 'error' || (method !== 'publish' && method !== 'send')) return;
      const queue = method === 'send' ? 'control' : String(args[0]);
      this.metrics.publishOutcomes.inc({ queue, outcome: result as PublishOutcome });
    });
  }

  /** From now on the process takes work, and signals drain it. */
  ready(): void {
    this.drain.listen();
    this.health.markStarted();
  }
}
