import { hostname } from 'node:os';
import type { ProcessLoad, Role } from '#contracts';
import { VERSION, type Logger } from '#observability';
import type { Store } from '#store';
import { timestampOf, type FollowingClock, type Timer } from '#time';
import {
  acknowledgedBeat,
  BEAT_INTERVAL_MS,
  failedBeat,
  isBeatOverdue,
  isKnownToLive,
  type Moment,
  type OwnHeartbeats,
} from './liveness-rules.js';

export interface HeartbeatOptions {
  store: Pick<Store, 'insertProcess' | 'beat' | 'removeProcess' | 'time'>;
  role: Role;
  processId: string;
  /** Told with each beat. */
  load?: () => ProcessLoad;
  logger: Logger;
  /** Called at most once, when the row is gone: other processes count this one as dead, so it must exit. */
  onGone: () => void;
  /** The clock that follows the store's. */
  clock: FollowingClock;
  /** Called at start and after every successful heartbeat: the rhythm of `Peers`. */
  onRound: () => void;
}

interface BeatTimes {
  dueAt: number;
  begun: Moment;
}

/** The number of beats between two reads of the store's clock. */
const BEATS_PER_TIME_READ = 5;
/** Reported at start: times in logs and certificates are the machine's own. */
const MAX_SKEW_MS = 2_000;

/**
 * This process's `processes` row: written at start, beaten every 2 s, removed by a drain. Along with its beats the
 * process asks for the store's time of day, which all processes share.
 */
export class Heartbeat {
  readonly processId: string;
  private state: OwnHeartbeats = {
    lastFailedAt: null,
    lastSucceededAt: null,
    lastBegunAt: null,
    steadySince: null,
  };
  private timer: Timer | undefined;
  private inFlight: Promise<void> = Promise.resolve();
  private isStopped = false;
  private isFailing = false;
  private beats = 0;
  private readonly waiting = new Set<() => void>();
  /** The last acknowledged beat. */
  private lastBegun: Moment | undefined;

  constructor(private readonly options: HeartbeatOptions) {
    this.processId = options.processId;
  }

  /** Writes the row; call it before any claim. A claim whose owner has no row counts as a dead process's. */
  async start(): Promise<void> {
    const { store, role } = this.options;
    await this.askTime();
    this.warnOfSkew();
    const begun = this.moment();
    const started_at = timestampOf(this.options.clock);
    const row = { _id: this.processId, role, host: hostname(), beat: 0, version: VERSION, started_at };
    await store.insertProcess(row);
    this.succeed({ dueAt: begun.now, begun });
    this.schedule(BEAT_INTERVAL_MS);
  }

  /** The history of this process's heartbeats; a gap between two of them counts as a failed one. */
  own(): OwnHeartbeats {
    if (isBeatOverdue(this.state, this.now())) this.state = failedBeat(this.state, this.now());
    return this.state;
  }

  /**
   * Resolves when other processes know that this one lives: at once, unless it was frozen or cut off from the store
   * until now; then with its next beat. After `stop`, at once. True if it had to wait: what it knows may be old.
   */
  async beKnown(): Promise<boolean> {
    let hasWaited = false;
    // A beat that was acknowledged late says nothing about now.
    while (!this.isStopped && !isKnownToLive(this.lastBegun, this.moment())) {
      hasWaited = true;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
    return hasWaited;
  }

  /** Stops beating and removes the row, which tells every process that this one is dead. */
  async leave(): Promise<void> {
    await this.stop();
    await this.options.store.removeProcess(this.processId);
  }

  /** Stops beating and leaves the row. Resolves when no beat is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    this.releaseWaiting();
    await this.inFlight;
  }

  private schedule(delayMs: number): void {
    if (this.isStopped) return;
    const dueAt = this.now() + delayMs;
    this.timer = this.options.clock.after(delayMs, () => {
      const begun = this.moment();
      this.inFlight = this.beat({ dueAt, begun }).then(() =>
        this.schedule(Math.max(0, BEAT_INTERVAL_MS - (this.now() - begun.now))),
      );
    });
  }

  private now(): number {
    return this.options.clock.now();
  }

  private moment(): Moment {
    const { clock } = this.options;
    return { now: clock.now(), wall: clock.wall() };
  }

  private async beat(beat: BeatTimes): Promise<void> {
    const { store, logger, onGone } = this.options;
    try {
      const answer = await store.beat(this.processId, this.options.load?.());
      if (this.isStopped) return;
      if (answer === 'beaten') return this.succeed(beat);
      this.isStopped = true;
      logger.fatal(
        { process: this.processId },
        'the row of this process is gone, so others count it as dead: shutting down',
      );
      onGone();
    } catch (error) {
      const isFirst = !this.isFailing;
      this.isFailing = true;
      this.state = failedBeat(this.state, this.now());
      logger[isFirst ? 'warn' : 'debug']({ err: error }, 'heartbeats fail');
    }
  }

  private succeed({ dueAt, begun }: BeatTimes): void {
    if (this.isFailing) this.options.logger.info('heartbeats succeed again');
    this.isFailing = false;
    this.state = acknowledgedBeat(this.own(), { dueAt, begunAt: begun.now, now: this.now() });
    this.lastBegun = begun;
    this.releaseWaiting();
    if (++this.beats % BEATS_PER_TIME_READ === 0) this.askTime().catch(() => undefined);
    this.options.onRound();
  }

  private releaseWaiting(): void {
    for (const goOn of this.waiting) goOn();
    this.waiting.clear();
  }

  /** After a failure the next beats ask again; the machine's clock does not drift far in the meantime. */
  private async askTime(): Promise<void> {
    const { store, clock } = this.options;
    const askedAt = clock.now();
    clock.follow(await store.time(), askedAt);
  }

  private warnOfSkew(): void {
    const { clock, logger } = this.options;
    const { ownAheadMs } = clock;
    if (Math.abs(ownAheadMs) < MAX_SKEW_MS) return;
    const what = "this machine's clock differs from the store's, using the store's time";
    logger.warn({ ahead_ms: ownAheadMs }, what);
  }
}
