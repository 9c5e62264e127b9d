import type { Body, Message, ProcessLoad, Toolset } from '#contracts';
import { keepUnacknowledged, type KnownSwitches } from '#journal';
import { IN_HAND_MS, type Consumer, type DeliveryOutcome } from '#messaging';
import { Slots } from '#tools';
import { toolsetOf } from '#turn';
import { Announcer } from './offer/announcer.js';
import { HostedTools } from './offer/hosted-tools.js';
import { DEFAULT_QUESTION_TIMES } from './run/call-questions.js';
import { CallRunner } from './run/call-runner.js';
import { CallPace } from './run/call-pace.js';
import { RateLimits } from './run/rate-limits.js';
import type { KnownFleet, ToolWorkerDeps } from './tool-worker.deps.js';

/** Starts taking calls from a toolset's queue; called when one is offered (again). */
export type ConsumeQueue = (queue: string, prefetch: number) => Promise<Consumer>;

/** One tool worker: the toolsets it hosts, their announcements, and the calls it runs. */
export class ToolWorker {
  private readonly pace: CallPace;
  private readonly hosted: HostedTools;
  private readonly announcer: Announcer;
  /** The other workers, too. */
  readonly fleet: KnownFleet;
  readonly switches: KnownSwitches;
  private readonly runner: CallRunner;
  private readonly slots = new Map<string, Slots>();
  private readonly consumed = new Map<string, Promise<Consumer>>();
  /** Consumers that were stopped while calls were in hand. */
  private readonly retiring = new Set<Promise<void>>();
  /** Aborted when the worker must be gone: other workers settle the calls that still run, by class. */
  private readonly leaving = new AbortController();

  constructor(
    private readonly deps: ToolWorkerDeps,
    private readonly consume: ConsumeQueue,
  ) {
    this.pace = new CallPace(deps.clock);
    this.switches = deps.switches;
    this.fleet = deps.fleet;
    const { processId: me, log, clock, random, faultPoint, fleet } = deps;
    const ledger = deps.createLedger(this.leaving.signal);
    this.hosted = new HostedTools(deps);
    const rates = new RateLimits(
      (name) => deps.overridesFor(name).rate,
      (toolset) => fleet.workersOf(toolset),
      clock,
    );
    const { metrics, slowChecks, schemas, switches } = deps;
    const questionTimes = { ...DEFAULT_QUESTION_TIMES, ...deps.questionTimes };
    const ports = { ledger, me, log, clock, random, faultPoint };
    this.runner = new CallRunner(ports, this.hosted, metrics, {
      slowChecks,
      schemas,
      rates,
      questionTimes,
      pace: this.pace,
      switches,
      fleet,
    });
    const mayOffer = () => !switches.drains;
    this.announcer = new Announcer(deps, this.hosted, mayOffer, (toolsets) => this.followOffer(toolsets));
    switches.onDrain((drains) => {
      log.info({}, drains ? 'drained by an operator, takes no calls' : 'takes calls again');
      void this.announcer.announce();
    });
    metrics.toolCallSlots.readOnDemand((gauge) =>
      this.slots.forEach(({ size }, toolset) => gauge.set({ toolset }, size)),
    );
    metrics.toolCallsRunning.readOnDemand((gauge) =>
      this.slots.forEach(({ used }, toolset) => gauge.set({ toolset }, used)),
    );
  }

  /**
   * Offers the present toolsets at once, and later ones (a server that connects) when they change. Resolves when all
   * processes can know the toolsets present by then: a deployment that waits for this may then end the worker that this
   * one replaces.
   */
  async start(): Promise<void> {
    const started = Promise.all(this.deps.hosts.map((host) => host.start()));
    await this.announcer.start();
    await this.fleet.callRoll();
    await started;
    await this.announcer.announce();
  }

  /** What its beat tells. */
  get load(): ProcessLoad {
    const entries = [...this.slots].map(([toolset, { size: slots, used: running }]) => {
      return [toolset, { running, slots, per_second: this.pace.perSecond(toolset) }] as const;
    });
    return { toolsets: Object.fromEntries(entries) };
  }

  call({ body, at, traceparent }: Message<'tool.call'>): Promise<DeliveryOutcome> {
    const slots = this.slotsOf(toolsetOf(body.tool_name));
    return keepUnacknowledged(this.leaving.signal, () =>
      this.runner.handle(body, slots, { at, traceparent }),
    );
  }

  cancel(told: Body<'tool.cancel'>): Promise<void> {
    return this.runner.cancel(told);
  }

  answered({ tool_call_id }: Body<'tool.answered'>): void {
    this.runner.answered(tool_call_id);
  }

  /** Only a worker without the store asks the ledger. */
  ledgerAnswered(answer: Body<'ledger.answered'>): void {
    this.deps.onLedgerAnswer?.(answer);
  }

  rollCall({ reply_to }: Body<'catalog.roll_call'>): void {
    void this.announcer.announce(reply_to);
  }

  /** Whether the fleet can know this worker's toolsets. */
  get isOffered(): boolean {
    return this.announcer.hasSent;
  }

  /** Withdraws its offer; calls in hand may finish until the consumers have been stopped. */
  withdraw(): Promise<void> {
    this.runner.leave();
    return this.announcer.withdraw();
  }

  /**
   * Resolves when all calls that asked a person and would be lost with this worker have ended, and those that it had in
   * hand when it began to drain.
   */
  async finish(): Promise<void> {
    await Promise.all([this.runner.finish(), ...this.retiring]);
  }

  /** After the consumers have stopped. */
  async close(): Promise<void> {
    this.leaving.abort();
    await Promise.all(this.deps.hosts.map((host) => host.stop()));
  }

  /** A toolset without tools (its server is unreachable) is not consumed: its calls wait for a worker that has it. */
  private async followOffer(toolsets: Toolset[]): Promise<void> {
    const offered = new Set(toolsets.map(({ name }) => name));
    const gone = [...this.consumed].filter(([name]) => !offered.has(name));
    for (const [name, consuming] of gone) {
      this.consumed.delete(name);
      this.retire(consuming, this.switches.drains ? IN_HAND_MS : 0);
    }
    await Promise.all(toolsets.map(({ name }) => this.consumeOnce(name)));
  }

  /** Calls in hand may finish for this long. */
  private retire(consuming: Promise<Consumer>, graceMs: number): void {
    const retiring = consuming.then((consumer) => consumer.stop(graceMs)).catch(() => undefined);
    this.retiring.add(retiring);
    void retiring.then(() => this.retiring.delete(retiring));
  }

  private consumeOnce(toolset: string): Promise<Consumer> {
    const known = this.consumed.get(toolset);
    if (known) return known;
    // Not more than can run: an extra call would wait here for a whole call while another worker is idle. A check on
    // another worker's call holds one of these for two seconds at most.
    const consuming = this.consume(`tools.${toolset}`, this.slotsOf(toolset).size);
    this.consumed.set(toolset, consuming);
    consuming.catch(() => this.consumed.delete(toolset));
    return consuming;
  }

  private slotsOf(toolset: string): Slots {
    const slots = this.slots.get(toolset) ?? new Slots(this.hosted.concurrencyOf(toolset));
    this.slots.set(toolset, slots);
    return slots;
  }
}
