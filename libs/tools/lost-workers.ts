import type { Clock, Timer } from '#time';
import type { Catalogue } from './catalogue.js';

const LOOK_MS = 1_000;

export interface LostWorkersDeps {
  clock: Pick<Clock, 'every'>;
  /** Asked every second about every worker: cheap while the worker's beat moves. */
  peers: { isLost(processId: string): Promise<boolean> };
}

/**
 * Sets the announcements of workers aside that were killed, instead of waiting until they have been silent for long.
 * Whatever a worker announces later counts again.
 */
export class LostWorkers {
  private readonly timer: Timer;
  private readonly asking = new Set<string>();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly deps: LostWorkersDeps,
    /** Called after one was set aside. */
    private readonly changed: () => void = () => {},
  ) {
    this.timer = deps.clock.every(LOOK_MS, () => this.look(), { unref: true });
  }

  close(): void {
    this.timer.cancel();
  }

  private look(): void {
    for (const worker of this.catalogue.workers()) {
      if (this.asking.has(worker)) continue;
      this.asking.add(worker);
      // Who could not be asked is asked again with the next look.
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
