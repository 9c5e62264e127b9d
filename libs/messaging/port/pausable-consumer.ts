import type { Consumer } from './bus.port.js';

/** The grace of a consumer that finishes all it has in hand: longer than a broker leaves a delivery unacknowledged. */
export const IN_HAND_MS = 60 * 60_000;

/** A consumer that may be paused. What it has in hand then is finished, and kept until it is. */
export class PausableConsumer {
  private running: Consumer | undefined;
  private changing: Promise<void> = Promise.resolve();

  constructor(private readonly start: () => Promise<Consumer>) {}

  /** Resolves when it takes deliveries, or no longer takes any. Changes are made in the order in which they are asked. */
  set(isRunning: boolean): Promise<void> {
    const change = this.changing.then(() => this.change(isRunning));
    this.changing = change.catch(() => undefined);
    return change;
  }

  private async change(isRunning: boolean): Promise<void> {
    if (isRunning) this.running ??= await this.start();
    else {
      void this.running?.stop(IN_HAND_MS);
      this.running = undefined;
    }
  }
}
