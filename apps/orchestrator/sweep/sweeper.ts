import type { Ports } from '#journal';
import type { Timer } from '#time';

const ROUND_MS = 2_000;
/** A process that was dead for so long has nothing left that others would ask about. */
const FORGOTTEN_MS = 3_600_000;

/** What a round looks at, each from an index and bounded. */
export interface SweepTask {
  sweep(now: number): Promise<void>;
}

/**
 * Makes the whole thing live; the broker only makes it fast. Idempotent: any number of sweepers may run. What it
 * looks at is independent of the others: one that fails does not keep them from their round.
 */
export class Sweeper {
  private timer: Timer | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly ports: Pick<Ports, 'store' | 'log' | 'clock' | 'random'>,
    private readonly tasks: readonly SweepTask[],
    /** Processes that have been dead for so long. */
    private readonly listForgotten: (durationMs: number) => string[],
  ) {}

  /** The first round is now. */
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
