import type { Clock, Timer, TimerOptions } from './clock.port.js';
import { repeatOn, sleepOn } from './waits.js';

/** The longest delay of Node's timers: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export class SystemClock implements Clock {
  now(): number {
    return performance.now();
  }

  wall(): number {
    return Date.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, act: () => void, options?: TimerOptions): Timer {
    return new SystemTimer(this, ms, act, options);
  }

  every(ms: number, act: () => void, options?: TimerOptions): Timer {
    return repeatOn(this, ms, act, options);
  }

  soon(act: () => void): void {
    setImmediate(act);
  }
}

class SystemTimer implements Timer {
  private readonly dueAt: number;
  private handle: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: SystemClock,
    ms: number,
    private readonly act: () => void,
    private readonly options: TimerOptions = {},
  ) {
    this.dueAt = clock.now() + ms;
    this.wait(ms);
  }

  cancel(): void {
    clearTimeout(this.handle);
  }

  /** Node counts whole milliseconds from the start of its loop, so its timers may fire one millisecond early. */
  private wait(leftMs: number): void {
    this.handle = setTimeout(() => {
      const stillMs = this.dueAt - this.clock.now();
      if (stillMs > 0) this.wait(stillMs);
      else this.act();
    }, timerMs(leftMs));
    if (this.options.unref) this.handle.unref();
  }
}

function timerMs(leftMs: number): number {
  return Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(leftMs)));
}
