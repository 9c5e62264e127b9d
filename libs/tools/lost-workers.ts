import type { Clock, Timer } from '#time';
import type { Catalogue } from './catalogue.js';

const CHECK_INTERVAL_MS = 1_000;

export interface LostWorkersDeps {
  clock: Pick<Clock, 'every'>;
  /** Called every second for every worker: cheap while the worker's beat moves. */
  peers: { isLost(processId: string): Promise<boolean> };
}

/**
 * Withdraws the announcements of killed workers, instead of waiting until their announcements expire. Any later
 * announcement of such a worker counts again.
 */
export class LostWorkers {
  private readonly timer: Timer;
  private readonly asking = new Set<string>();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly deps: LostWorkersDeps,
    /** Called after a worker's announcement was withdrawn. */
    private readonly changed: () => void = () => {},
  ) {
    this.timer = deps.clock.every(CHECK_INTERVAL_MS, () => this.check(), { unref: true });
  }

  close(): void {
    this.timer.cancel();
  }

  private check(): void {
    for (const worker of this.catalogue.workers()) {
      if (this.asking.has(worker)) continue;
      this.asking.add(worker);
      // If the question fails, the next look asks again.
      void this.ask(worker)
        .catch(() => undefined)
        .finally(() => this.asking.delete(worker));
    }
  }

  private async ask(worker: string): Promise<void> {
    const heard = this.catalogue.timesHeard(worker);
    const isLost = await this.deps.peers.isLost(worker);
    if (!isLost || this.catalogue.timesHeard(worker) !== heard) return;
    this.catalogue.withdraw(worker);
    this.changed();
  }
}
