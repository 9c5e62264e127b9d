import type { Clock, Timer } from '#time';

/** A process that waits for the answer to a Stop. It is answered once the turn has its ending row. */
export interface StopRequest {
  requestId: string;
  replyTo: string;
}

/**
 * The hints that reached a turn since its driver last looked. Results name calls whose outcome to read; `reread` asks
 * for the whole journal.
 */
export class Mailbox {
  readonly results = new Set<string>();
  readonly stops: StopRequest[] = [];
  reread = false;
  /** A held call may be sent. */
  released = false;
  /** Another process drives the turn now, or this process gives its work back. */
  leave: 'superseded' | 'abandoned' | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  get isEmpty(): boolean {
    return (
      this.results.size === 0 && this.stops.length === 0 && !this.reread && !this.released && !this.leave
    );
  }

  /** Runs `change` and wakes the driver. */
  post(change: (mailbox: Mailbox) => void): void {
    change(this);
    this.wake?.();
  }

  /** Resolves when something has arrived; false after `timeoutMs` without anything. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.isEmpty) return true;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = this.clock.after(timeoutMs, resolve);
    });
    timer?.cancel();
    this.wake = undefined;
    return !this.isEmpty;
  }
}
