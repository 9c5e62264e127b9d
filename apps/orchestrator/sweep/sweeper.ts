import type { Ports } from '#journal';

const ROUND_MS = 2_000;
/** A process that was dead for so long has nothing left that others would ask about. */
const FORGOTTEN_MS = 3_600_000;

/** What a round looks at, each from an index and bounded. */
export interface Swept {
  sweep(now: number): Promise<void>;
}

/**
 * Makes the whole thing live; the broker only makes it fast. Idempotent: any number of sweepers may run. What it
 * looks at is independent of the others: one that fails does not keep them from their round.
 */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly ports: Pick<Ports, 'store' | 'log'>,
    private readonly swept: readonly Swept[],
    /** Processes that have been dead for so long. */
    private readonly listForgotten: (durationMs: number) => string[] = () => [],
  ) {}

  /** The first round is now. */
  start(): void {
    this.round = this.sweep().then(() => this.schedule());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** One round; never rejects. */
  async sweep(now = Date.now()): Promise<void> {
    for (const part of this.swept) await this.attempt(() => part.sweep(now));
    await this.attempt(() => this.removeForgotten());
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.ports.log.warn({ err: error }, 'a round of the sweeper was cut short');
    }
  }

  private async removeForgotten(): Promise<void> {
    for (const processId of this.listForgotten(FORGOTTEN_MS)) await this.ports.store.removeProcess(processId);
  }

  private schedule(): void {
    if (this.isStopped) return;
    const delayMs = ROUND_MS * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.round = this.sweep().then(() => this.schedule());
    }, delayMs);
    this.timer.unref();
  }
}
