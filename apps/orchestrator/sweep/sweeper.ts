import type { Ports } from '#journal';
import type { Timer } from '#time';

const ROUND_MS = 2_000;
/** After this long, no process asks about a dead process any more. */
const FORGOTTEN_MS = 3_600_000;

/** The tasks of a round, each from an index and bounded. */
export interface SweepTask {
  sweep(now: number): Promise<void>;
}

/**
 * The sweeper guarantees progress; the broker only makes it fast. It is idempotent: any number of sweepers may run. Its
 * tasks are independent: a failing one does not keep the others from their round.
 */
export class Sweeper {
  private timer: Timer | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly ports: Pick<Ports, 'store' | 'log' | 'clock' | 'random'>,
    private readonly tasks: readonly SweepTask[],
    /** Rows of processes that have been dead for this long. */
    private readonly listForgotten: (durationMs: number) => string[],
  ) {}

  /** The first round starts immediately. */
  start(): void {
    this.round = this.sweep().then(() => this.schedule());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.round;
  }

  /** One round; never rejects. */
  async sweep(now = this.ports.clock.wall()): Promise<void> {
    for (const part of this.tasks) await this.attempt(() => part.sweep(now));
    await this.attempt(() => this.removeForgotten());
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.ports.log.warn({ err: error }, 'sweeper round cut short');
    }
  }

  private async removeForgotten(): Promise<void> {
    for (const processId of this.listForgotten(FORGOTTEN_MS)) await this.ports.store.removeProcess(processId);
  }

  private schedule(): void {
    if (this.isStopped) return;
    const { clock, random } = this.ports;
    const begin = () => {
      this.round = this.sweep().then(() => this.schedule());
    };
    this.timer = clock.after(random.jitter(ROUND_MS), begin, { unref: true });
  }
}
