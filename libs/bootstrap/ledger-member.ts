import { hostname } from 'node:os';
import type { Body, LedgerAnswers, ProcessLoad, Switch } from '#contracts';
import type { FaultPoint } from '#faults';
import { LedgerLine, RemoteLedger } from '#ledger';
import type { Bus } from '#messaging';
import { VERSION, type Logger } from '#observability';
import { FollowingClock, timestampOf, type Random, type Time } from '#time';
import { Heartbeat, type HeartbeatOptions } from './heartbeat.js';
import type { BusIdentity } from './member.js';
import { Switches } from './switches.js';

export interface LedgerMemberOptions extends Time {
  group: string;
  createBus: (identity: BusIdentity) => Bus;
  logger: Logger;
  faultPoint: FaultPoint;
  /** The toolsets that it hosts. */
  toolsets: () => string[];
  isDraining?: () => boolean;
  /** Called when other processes count this one as dead; it must exit. */
  onGone: () => void;
}

/**
 * A worker's part in the fleet without the store: its name, its bus, and a ledger that orchestrators keep for it. They
 * write its row, and tell it with each beat what it needs to know of the others.
 */
export class LedgerMember implements Time {
  readonly processId: string;
  readonly bus: Bus;
  readonly clock: FollowingClock;
  readonly random: Random;
  readonly switches: Switches;
  readonly faultPoint: FaultPoint;
  private readonly line: LedgerLine;
  private readonly lines: LedgerLine[] = [];
  private readonly closing = new AbortController();
  private readonly heartbeat: Heartbeat;
  private readLoad: () => ProcessLoad = () => ({});
  private told: Pick<LedgerAnswers['beat'], 'switches' | 'workers'> = { switches: [], workers: {} };
  private beats = 0;
  private startedAt = '';

  constructor(private readonly options: LedgerMemberOptions) {
    const { group, createBus, logger, onGone, random, isDraining = () => false } = options;
    this.clock = new FollowingClock(options.clock);
    this.random = random;
    this.faultPoint = options.faultPoint;
    const { clock } = this;
    this.processId = random.id(`worker-${group}--`);
    const { processId } = this;
    this.bus = createBus({ role: 'worker', processId, clock, random });
    // Asked until the end: what it asks for its calls ends before.
    this.line = this.createLine(this.closing.signal);
    const listSwitches = (): Promise<Switch[]> => Promise.resolve(this.told.switches);
    this.switches = new Switches({ processId, store: { listSwitches }, logger });
    const drains = () => isDraining() || this.switches.drains;
    this.heartbeat = new Heartbeat({
      store: this.rowsOverLedger(),
      role: 'worker',
      processId,
      load: () => ({ ...this.readLoad(), ...(drains() && { draining: true }) }),
      logger,
      onGone,
      clock,
      onRound: () => void this.switches.read(),
    });
  }

  /** Connects. It has its row once it has joined. */
  start(): Promise<void> {
    return this.bus.open();
  }

  /** Messages to it must arrive before: the answers are among them. */
  join(): Promise<void> {
    return this.heartbeat.start();
  }

  /** `read` is asked before each beat. */
  reportLoad(read: () => ProcessLoad): void {
    this.readLoad = read;
  }

  answered(answer: Body<'ledger.answered'>): void {
    for (const line of this.lines) line.answered(answer);
  }

  /** What a worker needs besides what its program gives it. */
  get part() {
    const { bus, switches, processId, clock, random, faultPoint, line } = this;
    const beKnown = () => this.heartbeat.beKnown();
    return {
      bus,
      switches,
      processId,
      clock,
      random,
      faultPoint,
      onLedgerAnswer: (answer: Body<'ledger.answered'>) => this.answered(answer),
      createLedger: (leaving: AbortSignal) =>
        new RemoteLedger({ line: this.createLine(leaving), clock, beKnown }),
      fleet: {
        workersOf: (toolset: string) => Math.max(1, this.told.workers[toolset] ?? 1),
        // Who knows better sends the call again, or ends it.
        hasMajor: () => true,
        callRoll: () => Promise.resolve(),
        announce: () => undefined,
        withdraw: () => undefined,
      },
      offers: {
        announce: async (offer: Omit<Body<'catalog.announce'>, 'worker'>, reply_to?: string) => {
          await line.ask('ledger.announce', { ...offer, reply_to }, { purpose: 'calls' });
          return true;
        },
        withdraw: async () => {
          await line.ask('ledger.announce', { toolsets: [] }, { purpose: 'calls' });
          return true;
        },
      },
    };
  }

  /** Removes the row, which tells every process that this one is dead. */
  leave(): Promise<void> {
    return this.heartbeat.leave();
  }

  /** Asks no more. */
  close(): void {
    this.closing.abort();
  }

  private createLine(leaving: AbortSignal): LedgerLine {
    const { bus, processId: me, clock, random } = this;
    const line = new LedgerLine({ bus, group: this.options.group, me, leaving, clock, random });
    this.lines.push(line);
    return line;
  }

  private rowsOverLedger(): HeartbeatOptions['store'] {
    const beat = async (load?: ProcessLoad): Promise<LedgerAnswers['beat']> => {
      const { beat: answer } = await this.line.ask(
        'ledger.beat',
        {
          number: this.beats,
          host: hostname(),
          version: VERSION,
          started_at: this.startedAt,
          load,
          toolsets: this.options.toolsets(),
        },
        { purpose: 'beats' },
      );
      this.told = answer!;
      return answer!;
    };
    return {
      time: async () => {
        this.startedAt ||= timestampOf(this.clock);
        return (await beat()).now;
      },
      insertProcess: async () => void (await beat()),
      beat: async (_id, load) => {
        this.beats++;
        return (await beat(load)).known;
      },
      removeProcess: async () => void (await this.line.ask('ledger.leave', {}, { purpose: 'calls' })),
    };
  }
}
