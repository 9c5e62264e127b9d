/** A scheduled call. */
export interface Timer {
  /** Prevents the call. Cancelling a call that has run or was cancelled does nothing. */
  cancel(): void;
}

export interface TimerOptions {
  /** The operating system process may exit while this is still waiting. */
  unref?: boolean;
}

/**
 * Time, as one process sees it. Durations are milliseconds. **Nothing is early**: a call scheduled for `ms` runs when
 * `now()` has reached the time of scheduling plus `ms`, or later.
 */
export interface Clock {
  /**
   * Monotonic: use it for every duration. It runs on while the process is stopped, and means nothing to another
   * process.
   */
  now(): number;
  /** Milliseconds since 1970: use it for stored or shown times. It may jump in both directions. */
  wall(): number;
  /** Resolves after `ms`; rejects with the reason of `signal` as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once. An error thrown by `act` is an uncaught exception. */
  after(ms: number, act: () => void, options?: TimerOptions): Timer;
  /**
   * Calls `act` repeatedly. A late call does not bring the next one nearer than `ms`, and missed calls are not made up
   * for.
   */
  every(ms: number, act: () => void, options?: TimerOptions): Timer;
  /** Calls `act` after the work under way, including waiting I/O. */
  soon(act: () => void): void;
}

/** The time of `clock` in the format of rows and messages: ISO 8601, UTC, milliseconds. */
export function timestampOf(clock: Pick<Clock, 'wall'>): string {
  return new Date(clock.wall()).toISOString();
}
