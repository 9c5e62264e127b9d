/** What waits for its time. */
export interface Timer {
  /** It is never called from now on. Cancelling what has run or was cancelled does nothing. */
  cancel(): void;
}

export interface TimerOptions {
  /** The operating system process may end while this still waits. */
  unref?: boolean;
}

/**
 * Time, as one process sees it. Durations are milliseconds. **Nothing is early**: what waited for `ms` is called when
 * `now()` has reached the time at which it was asked for plus `ms`, or later.
 */
export interface Clock {
  /** Monotonic: for every duration. It runs on while the process is stopped, and means nothing to another process. */
  now(): number;
  /** Milliseconds since 1970: for what is stored or shown. It may jump, in both directions. */
  wall(): number;
  /** Rejects with the reason of `signal` as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once. What `act` throws is an uncaught exception. */
  after(ms: number, act: () => void, options?: TimerOptions): Timer;
  /**
   * Calls `act` again and again. A call that comes late does not bring the next one nearer than `ms`, and none is made
   * up for.
   */
  every(ms: number, act: () => void, options?: TimerOptions): Timer;
  /** Calls `act` after what is under way, I/O that waits included. */
  soon(act: () => void): void;
}

/** The time of `clock` as rows and messages have it: ISO 8601, UTC, milliseconds. */
export function timestampOf(clock: Pick<Clock, 'wall'>): string {
  return new Date(clock.wall()).toISOString();
}
