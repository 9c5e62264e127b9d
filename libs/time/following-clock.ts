import type { Clock, Timer, TimerOptions } from './clock.port.js';

/** A sample that was longer on its way says too little. */
const LONGEST_ROUND_TRIP_MS = 1_000;

/**
 * A clock that takes the time of day from somebody whom all ask, so that what one process writes down means the same to
 * the others, however wrong the clocks of their machines are. Durations are its own.
 */
export class FollowingClock implements Clock {
  private aheadMs = 0;
  private hasFollowed = false;

  constructor(private readonly own: Clock) {}

  /** How far the machine's wall clock is ahead of the one that is followed. */
  get ownAheadMs(): number {
    return this.aheadMs;
  }

  /**
   * Takes a sample over: `wall` is what the other clock said at some moment between `askedAt` (by `now`) and this call.
   * What a sample cannot tell apart from the time as it is changes nothing; a slow one counts only if there is no other.
   */
  follow(wall: number, askedAt: number): void {
    const roundTripMs = this.now() - askedAt;
    if (roundTripMs > LONGEST_ROUND_TRIP_MS && this.hasFollowed) return;
    const aheadMs = this.own.wall() - (wall + roundTripMs / 2);
    // The time of day of one of the two may be whole milliseconds.
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
