import type { Clock, Timer, TimerOptions } from '../clock.port.js';
import { SystemClock } from '../system-clock.js';
import { repeatOn, sleepOn } from '../waits.js';

interface Pending {
  dueAt: number;
  fire: () => void;
  options: TimerOptions | undefined;
  timer: Timer;
}

/**
 * The machine's clock, from which a test can skip time. For code with real sockets or threads: these take their real
 * time, but the test skips pure waiting.
 */
export class SkippingClock implements Clock {
  private readonly system = new SystemClock();
  private readonly pending = new Set<Pending>();
  private skippedMs = 0;

  now(): number {
    return this.system.now() + this.skippedMs;
  }

  wall(): number {
    return Math.floor(this.system.wall() + this.skippedMs);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, act: () => void, options?: TimerOptions): Timer {
    const end = () => {
      entry.timer.cancel();
      this.pending.delete(entry);
    };
    const fire = () => {
      end();
      act();
    };
    const timer = this.system.after(ms, fire, options);
    const entry: Pending = { dueAt: this.now() + ms, fire, options, timer };
    this.pending.add(entry);
    return { cancel: end };
  }

  every(ms: number, act: () => void, options?: TimerOptions): Timer {
    return repeatOn(this, ms, act, options);
  }

  soon(act: () => void): void {
    this.system.soon(act);
  }

  /** Lets `ms` pass at once. Calls that come due run in the order of their times, each with its own time as `now()`. */
  async skip(ms: number): Promise<void> {
    const until = this.now() + ms;
    for (let next = this.next(until); next; next = this.next(until)) {
      this.skipTo(next.dueAt);
      next.fire();
      await new Promise<void>((resolve) => this.system.soon(resolve));
    }
    this.skipTo(until);
    for (const entry of this.pending) {
      entry.timer.cancel();
      entry.timer = this.system.after(entry.dueAt - this.now(), entry.fire, entry.options);
    }
  }

  private next(until: number): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending)
      if (entry.dueAt <= until && entry.dueAt < (first?.dueAt ?? Infinity)) first = entry;
    return first;
  }

  private skipTo(time: number): void {
    // Real time also passes, so it may already be this late.
    this.skippedMs += Math.max(0, time - this.now());
  }
}
