import type { Clock, Timer, TimerOptions } from './clock.port.js';

/** A sample with a longer round trip is too inaccurate. */
const LONGEST_ROUND_TRIP_MS = 1_000;

/**
 * A clock that takes the time of day from a source that all processes ask, so that stored times mean the same to each
 * of them, however wrong their machines' clocks are. Durations come from the process's own clock.
 */
export class FollowingClock implements Clock {
  private aheadMs = 0;
  private hasFollowed = false;

  constructor(private readonly own: Clock) {}

  /** How far the machine's wall clock is ahead of the followed one. */
  get ownAheadMs(): number {
    return this.aheadMs;
  }

  /**
   * Applies a sample: `wall` is the other clock's time at some moment between `askedAt` (by `now`) and this call. A
   * sample that agrees with the present time within its error changes nothing. A slow sample counts only if there is no
   * other.
   */
  follow(wall: number, askedAt: number): void {
    const roundTripMs = this.now() - askedAt;
    if (roundTripMs > LONGEST_ROUND_TRIP_MS && this.hasFollowed) return;
    const aheadMs = this.own.wall() - (wall + roundTripMs / 2);
    // One of the two times of day may be in whole milliseconds.
    if (this.hasFollowed && Math.abs(aheadMs - this.aheadMs) <= roundTripMs / 2 + 1) return;
    this.aheadMs = Math.round(aheadMs);
    this.hasFollowed = true;
  }

  now(): number {
    return this.own.now();
  }

  wall(): number {
    return this.own.wall() - this.aheadMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.own.sleep(ms, signal);
  }

  after(ms: number, act: () => void, options?: TimerOptions): Timer {
    return this.own.after(ms, act, options);
  }

  every(ms: number, act: () => void, options?: TimerOptions): Timer {
    return this.own.every(ms, act, options);
  }

  soon(act: () => void): void {
    this.own.soon(act);
  }
}
