import {
  newMessage,
  turnHint,
  type Body,
  type LedgerRequestType,
  type Message,
  type ProcessLoad,
} from '#contracts';
import { keepUnacknowledged, observeJournal, retryingStore, type KnownSwitches, type Ports } from '#journal';
import { Ledger } from '#ledger';
import type { DeadDelivery, Delivery, DeliveryOutcome } from '#messaging';
import { Refusals } from '#observability';
import type { Store } from '#store';
import type { Timer } from '#time';
import { DayBudgets } from './admission/day-budgets.js';
import { ModelLimits } from './admission/model-limits.js';
import { CatalogueService } from './catalogue/catalogue.service.js';
import { Drivers } from './turn/drivers.js';
import { QueueInspections } from './fairness/queue-inspections.js';
import { CallShares } from './fairness/call-shares.js';
import { History } from './turn/history.js';
import { TakeUp } from './turn/take-up.js';
import { warnOfMissingPrices } from './ask/model-cost.js';
import { ModelAnnouncer } from './ask/model-announcer.js';
import { RequestImages } from './ask/request-images.js';
import type { OrchestratorDeps } from './deps/orchestrator.deps.js';
import { createSweeper } from './sweep/create-sweeper.js';
import { keepDeadLetter } from './sweep/keep-dead-letter.js';
import type { Sweeper } from './sweep/sweeper.js';
import { TurnHints } from './sweep/turn-hints.js';

/** MCP servers take a while to start, longer if their package must be downloaded first. */
const FIRST_NAMES_CHECK_MS = 10_000;
const LAST_NAMES_CHECK_MS = 60_000;

/**
 * One orchestrator: the turns that it drives, what it knows about other processes, and its sweeper. Its only input is
 * hints.
 */
export class Orchestrator {
  readonly catalogue: CatalogueService;
  readonly modelLimits: ModelLimits;
  readonly models: ModelAnnouncer;
  readonly shares: CallShares;
  readonly switches: KnownSwitches;
  private readonly drivers: Drivers;
  private readonly turnHints: TurnHints;
  private readonly sweeper: Sweeper;
  private readonly ports: Ports;
  /** The store for work in progress: that work waits while the store is down. */
  private readonly durable: Store;
  private readonly leaving = new AbortController();
  private namesCheck: Timer | undefined;
  /** Undefined: there are no groups of workers. */
  private ledger: Ledger | undefined;

  constructor(private readonly deps: OrchestratorDeps) {
    const { store, bus, processId: me, peers, log, clock, random, faultPoint } = deps;
    this.switches = deps.switches;
    this.switches.onDrain((drains) =>
      log.info({}, drains ? 'drained by an operator, takes no new turns' : 'takes turns again'),
    );
    const observer = observeJournal(deps.auditLog, deps.metrics, deps.auditTrail);
    const tokenOf: Ports['tokenOf'] = (...sent) => this.ledger?.tokenOf(...sent);
    this.ports = { store, bus, me, peers, log, observer, clock, random, faultPoint, tokenOf };
    // Work in progress waits for the store; the sweeper and dead letters are retried anyway.
    this.durable = retryingStore(store, this.leaving.signal, deps);
    this.modelLimits = new ModelLimits(deps);
    this.models = new ModelAnnouncer(deps);
    const { budget } = deps.settings.usage;
    const refusals = new Refusals(deps.metrics.refusals, log, clock);
    const dayBudgets = new DayBudgets({ store: this.durable, budget, refusals, clock, random });
    const durable = { ...deps, store: this.durable, modelLimits: this.modelLimits, dayBudgets };
    const ports = { ...this.ports, store: this.durable };
    this.catalogue = new CatalogueService(durable);
    const history = new History(this.durable);
    const takeUp = new TakeUp(durable, ports, this.catalogue, history, new RequestImages(this.durable));
    const queues = new QueueInspections(bus, clock);
    const placesOf = (toolset: string) => this.catalogue.placesOf(toolset);
    this.shares = new CallShares({ ...deps, queues, placesOf, refusals });
    this.drivers = new Drivers(durable, ports, takeUp, history, {
      queues,
      shares: this.shares,
      switches: deps.switches,
      refusals,
    });
    this.turnHints = this.createTurnHints();
    this.sweeper = createSweeper(this.ports, {
      settings: deps.settings,
      peers,
      wake: (turnId) => this.wake(turnId),
      hints: this.turnHints,
    });
  }

  /** Turns that this process drives now. */
  get size(): number {
    return this.drivers.size;
  }

  /** Whose ledger this process serves. */
  get groups() {
    return this.deps.settings.groups;
  }

  /** For its next beat. */
  get load(): ProcessLoad {
    return { turns: this.size, ...this.modelLimits.load };
  }

  /** Learns the tools before the first hint is consumed. */
  async prepare(): Promise<void> {
    warnOfMissingPrices(this.deps.settings, this.deps.log);
    this.models.start();
    const { settings, switches } = this.deps;
    if (settings.groups.length > 0)
      this.ledger = await Ledger.open({
        ports: this.ports,
        groups: settings.groups,
        switches,
        workersOf: (toolset) => this.catalogue.workersOf(toolset),
        outputBytesOf: settings.outputBytesOf,
        onSettled: (outcome) => this.drivers.get(outcome.turn_id)?.settled(outcome),
        metrics: this.deps.metrics,
      });
    await this.catalogue.rollCall();
    this.sweeper.start();
    const check = () => this.checkNames();
    this.namesCheck = this.deps.clock.after(FIRST_NAMES_CHECK_MS, check, { unref: true });
  }

  /** `turn.advance` from `turns` (the delivery is then held) or forwarded by another process. */
  async advance(
    { turn_id, conversation_id }: Body<'turn.advance'>,
    delivery?: Delivery,
  ): Promise<DeliveryOutcome> {
    if (delivery) await this.ports.faultPoint('hint_received');
    const advance = () => this.drivers.advance(turn_id, conversation_id, delivery);
    return keepUnacknowledged(this.leaving.signal, advance);
  }

  /** `tool.result` goes to the driver if the turn is driven here. From `results`, any process may look at the turn. */
  async result(
    { turn_id, tool_call_id }: Body<'tool.result'>,
    delivery?: Delivery,
    traceparent?: string,
  ): Promise<DeliveryOutcome> {
    await this.ports.faultPoint('result_received');
    const driver = this.drivers.get(turn_id);
    if (driver) driver.result(tool_call_id, traceparent);
    else if (delivery) await keepUnacknowledged(this.leaving.signal, () => this.hintTurn(turn_id));
    return 'ack';
  }

  /**
   * The driver of the turn answers once the turn has its ending row. If no text is being streamed, no answer is needed.
   */
  stop({ turn_id, request_id, reply_to }: Body<'turn.stop'>): void {
    const driver = this.drivers.get(turn_id);
    if (driver) driver.stop(request_id, reply_to);
    else void this.deps.bus.send(reply_to, newMessage(this.deps, 'turn.stopped', { turn_id, request_id }));
  }

  /** What a worker without the store asks. Never rejects. */
  async serveWorker(message: Message<LedgerRequestType>): Promise<void> {
    await this.ledger?.serve(message);
  }

  superseded({ turn_id, attempt }: Body<'turn.superseded'>): void {
    this.drivers.get(turn_id)?.supersede(attempt);
  }

  /** Answers with the text that is being streamed, or not at all if there is none. */
  peek({ turn_id, request_id, reply_to }: Body<'turn.peek'>): void {
    const partial = this.drivers.get(turn_id)?.partialText;
    if (partial)
      void this.deps.bus.send(
        reply_to,
        newMessage(this.deps, 'turn.partial', { turn_id, request_id, ...partial }),
      );
  }

  dead(dead: DeadDelivery): Promise<void> {
    return keepDeadLetter(this.ports, dead);
  }

  /** Finishes the turns that end within `graceMs` and gives the others back. */
  async drain(graceMs: number): Promise<void> {
    this.namesCheck?.cancel();
    await this.sweeper.stop();
    this.turnHints.stop();
    this.models.stop();
    await this.drivers.drain(graceMs);
    this.leaving.abort();
    this.shares.close();
    this.catalogue.close();
    this.ledger?.close();
  }

  /** A tool that is missing from a present toolset is logged soon, a missing toolset later; each once. */
  private checkNames(): void {
    const configured = this.deps.settings.configuredTools;
    const told = this.warnOfUnknownNames(configured, { patient: true });
    const others = configured.filter((name) => !told.includes(name));
    const restMs = LAST_NAMES_CHECK_MS - FIRST_NAMES_CHECK_MS;
    const checkAll = () => void this.warnOfUnknownNames(others, { patient: false });
    this.namesCheck = this.deps.clock.after(restMs, checkAll, { unref: true });
  }

  private warnOfUnknownNames(configured: readonly string[], how: { patient: boolean }): string[] {
    const names = this.catalogue.unknownAmong(configured, this.deps.settings.offer, how);
    if (names.length === 0) return names;
    this.deps.log.warn({ names }, 'CONFIG has settings for tools or toolsets that no worker offers');
    return names;
  }

  private createTurnHints(): TurnHints {
    const { fairShare: share, turnsAtOnce } = this.deps.settings;
    const hints = new TurnHints(this.ports, { share, turnsAtOnce, driven: () => this.size });
    this.drivers.onEnd = () => hints.noteRoom();
    return hints;
  }

  private wake(turnId: string): boolean {
    const driver = this.drivers.get(turnId);
    driver?.hint();
    return driver !== undefined;
  }

  private async hintTurn(turnId: string): Promise<void> {
    const turn = await this.durable.getTurn(turnId);
    if (turn) await this.deps.bus.publish('turns', turnHint(this.deps, turn));
  }
}
