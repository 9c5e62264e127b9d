import type { Role } from '#contracts';
import { faultPoint } from '#faults';
import { AuditTrail } from '#journal';
import type { Bus } from '#messaging';
import { createMetrics, Health, LogLevels, VERSION, type Logger, type Metrics } from '#observability';
import type { Store } from '#store';
import { settledWithin, type Clock, type Random, type Time } from '#time';
import { startTracing, type Tracing } from '#tracing';
import { withBusFaults } from './bus-faults.js';
import type { ProcessConfig } from './config/app-config.js';
import { Drain } from './drain.js';
import { LedgerMember, type LedgerMemberOptions } from './ledger-member.js';
import { Member, type BusIdentity } from './member.js';
import { countingBuses, reportBuses } from './observe-bus.js';
import { observeStore } from './observe-store.js';

/** A store that does not answer must not delay a scrape: the next one has what the check found. */
const READINESS_MS = 500;

export interface ServiceOptions extends Time {
  /** `gateway`, `orchestrator`, `worker`, `standalone`. */
  role: string;
  logger: Logger;
  /** Absent: a worker that asks the ledger. */
  store?: Store;
  config: Pick<ProcessConfig, 'drainGraceMs' | 'auditDays' | 'notices' | 'otlpEndpoint'>;
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
  readonly drain: Drain;
  /** Changed by operators and by SIGUSR2. */
  private readonly logLevels: LogLevels;
  private readonly observedStore: Store | undefined;
  private readonly auditTrail: AuditTrail | undefined;
  private readonly members: Pick<Member, 'bus' | 'leave'>[] = [];
  private tracing: Tracing | undefined;

  constructor(private readonly options: ServiceOptions) {
    const { logger, store, config, clock, random } = options;
    this.clock = clock;
    this.random = random;
    this.health = new Health(clock);
    this.logLevels = new LogLevels(logger);
    const { health, metrics } = this;
    this.observedStore = store && observeStore(store, clock, metrics);
    this.auditTrail =
      this.observedStore &&
      new AuditTrail({
        store: this.observedStore,
        log: logger,
        days: config.auditDays,
        clock,
        random,
      });
    metrics.ready.readOnDemand(async (gauge) => {
      const asking = health.readiness().then(({ status }) => gauge.set(Number(status === 'ready')));
      await settledWithin(clock, asking, READINESS_MS);
    });
    this.drain = new Drain({
      logger,
      health,
      graceMs: config.drainGraceMs,
      clock,
      leave: async () =>
        void (await Promise.all([this.auditTrail?.close(), ...this.members.map((member) => member.leave())])),
      bus: { close: async () => void (await Promise.all(this.members.map(({ bus }) => bus.close()))) },
      store,
      stopTracing: async () => this.tracing?.stop(),
    });
  }

  get store(): Store {
    if (!this.observedStore) throw new TypeError('this process has no store');
    return this.observedStore;
  }

  /** Throws `StoreSetupError` with a clear sentence. */
  async open(): Promise<void> {
    const { logger: log, role, config } = this.options;
    const { notices, otlpEndpoint: endpoint } = config;
    // Windows has no such signal.
    if (process.platform !== 'win32') process.on('SIGUSR2', () => this.logLevels.toggleDebug());
    for (const notice of notices) log.warn(notice);
    this.tracing = await startTracing({ endpoint, role, version: VERSION, log, clock: this.clock });
    const { observedStore } = this;
    if (!observedStore) return;
    await observedStore.open();
    this.auditTrail?.start();
    this.health.addCheck('store', () => observedStore.ping());
  }

  /** Takes a role: a row in `processes`, then a bus. Throws `BusSetupError` with a clear sentence. */
  async join(role: Role, createBus: (identity: BusIdentity) => Bus): Promise<Member> {
    const { clock, random, metrics } = this;
    const { logger } = this.options;
    const member = new Member({
      role,
      store: this.store,
      createBus: countingBuses((identity) => withBusFaults(createBus(identity), random), metrics),
      logger,
      clock,
      random,
      faultPoint,
      isDraining: () => this.health.isDraining,
      onGone: () => process.exit(1),
      auditTrail: this.auditTrail,
    });
    await this.add(member, role, () => member.start());
    return member;
  }

  /** The same for a worker that asks the ledger. It has to join once messages to it arrive. */
  async joinGroup(
    group: string,
    options: Pick<LedgerMemberOptions, 'createBus' | 'toolsets'>,
  ): Promise<LedgerMember> {
    const { clock, random, metrics } = this;
    const member = new LedgerMember({
      group,
      toolsets: options.toolsets,
      createBus: countingBuses((identity) => withBusFaults(options.createBus(identity), random), metrics),
      logger: this.options.logger,
      clock,
      random,
      faultPoint,
      isDraining: () => this.health.isDraining,
      onGone: () => process.exit(1),
    });
    await this.add(member, 'worker', () => member.start());
    return member;
  }

  private async add(
    member: Pick<Member, 'bus' | 'leave' | 'switches'>,
    role: Role,
    start: () => Promise<void>,
  ): Promise<void> {
    this.members.push(member);
    member.switches.onLogLevel((level) => this.logLevels.set(level));
    this.metrics.info.set({ version: VERSION, role }, 1);
    await start();
    reportBuses(this.metrics, () => this.members.map(({ bus }) => bus));
    // Traffic must go to other gateways; the other roles take their work from queues.
    if (role === 'gateway') this.health.addCheck('drained', () => !member.switches.drains);
    this.health.addCheck('bus', () => this.members.every(({ bus }) => bus.takesMessages()));
  }

  /** From now on the process takes work, and signals drain it. */
  ready(): void {
    this.drain.listen();
    this.health.markStarted();
  }
}
