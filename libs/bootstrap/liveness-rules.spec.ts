import { describe, expect, it } from '@jest/globals';
import {
  acknowledgedBeat,
  failedBeat,
  isDeadByBeat,
  isGone,
  isReturnCounted,
  isSuspectByProbes,
  observeBeat,
  isStalled,
  unchangedForMs,
  type OwnHeartbeats,
  type BeatObservation,
} from './liveness-rules.js';

/** Listings every 2 s from `from` to `to`, all showing the same beat. */
function observeStill(from: number, to: number, beat = 7): BeatObservation {
  let observation = observeBeat(undefined, beat, { startedAt: from, endedAt: from });
  for (let at = from; at <= to; at += 2_000)
    observation = observeBeat(observation, beat, { startedAt: at, endedAt: at });
  return observation;
}

describe('death by heartbeat', () => {
  const healthy = (now: number) => ({ lastFailedAt: null, lastSucceededAt: now });

  it('is true of a process whose beat has not changed for 8 s', () => {
    expect(isDeadByBeat(observeStill(0, 6_000), healthy(6_000), 6_000)).toBe(false);
    expect(isDeadByBeat(observeStill(0, 8_000), healthy(8_000), 8_000)).toBe(true);
  });

  it('is false of a process that beat in between', () => {
    const still = observeStill(0, 6_000);
    const moved = observeBeat(still, 8, { startedAt: 8_000, endedAt: 8_000 });
    expect(isDeadByBeat(moved, healthy(8_000), 8_000)).toBe(false);
    expect(
      unchangedForMs(observeBeat(moved, 8, { startedAt: 10_000, endedAt: 10_000 }), healthy(10_000)),
    ).toBe(2_000);
  });

  it('uses the times of the reads, not the time since', () => {
    expect(isDeadByBeat(observeStill(0, 4_000), healthy(9_000), 9_000)).toBe(false);
  });

  it('uses the shorter time when listings are slow', () => {
    const first = observeBeat(undefined, 7, { startedAt: 0, endedAt: 4_000 });
    expect(
      unchangedForMs(observeBeat(first, 7, { startedAt: 8_000, endedAt: 12_000 }), healthy(12_000)),
    ).toBe(4_000);
  });

  it('restarts its count after a failed heartbeat of this process, and is false for 15 s after it', () => {
    const failedAt = 9_000;
    const own = (now: number) => ({ lastFailedAt: failedAt, lastSucceededAt: now });
    const dead = (now: number) => isDeadByBeat(observeStill(0, now), own(now), now);
    expect(dead(10_000)).toBe(false);
    expect(dead(24_000)).toBe(false);
    expect(dead(30_000)).toBe(false);
    expect(dead(32_000)).toBe(true);
  });

  it('is always false while this process’s heartbeats fail, are overdue or have not begun', () => {
    const still = observeStill(0, 60_000);
    expect(isDeadByBeat(still, { lastFailedAt: null, lastSucceededAt: null }, 60_000)).toBe(false);
    expect(isDeadByBeat(still, { lastFailedAt: null, lastSucceededAt: 50_000 }, 60_000)).toBe(false);
    expect(isDeadByBeat(still, { lastFailedAt: 60_000, lastSucceededAt: 58_000 }, 60_000)).toBe(false);
  });
});

describe('a process that is gone', () => {
  const rows = [{ _id: 'worker-a' }];

  it('has no row in a listing that is younger than its announcement', () => {
    expect(isGone(rows, { startedAt: 10, endedAt: 11 }, 'worker-b', 10)).toBe(true);
    expect(isGone(rows, { startedAt: 10, endedAt: 11 }, 'worker-a', 10)).toBe(false);
  });

  it('is not assumed for a process that may have started after the listing', () => {
    expect(isGone(rows, { startedAt: 9, endedAt: 11 }, 'worker-b', 10)).toBe(false);
  });
});

describe('a suspect process', () => {
  const probe = (
    sentAt: number,
    outcome: 'returned' | 'refused' | 'confirmed' | 'unknown',
    connectedForMs = 60_000,
  ) => ({
    outcome,
    sentAt,
    connectedForMs,
  });

  it('has returned two probes 1 s apart', () => {
    expect(isSuspectByProbes(probe(0, 'returned'), probe(1_000, 'returned'))).toBe(true);
    expect(isSuspectByProbes(probe(0, 'refused'), probe(1_000, 'returned'))).toBe(true);
    expect(isSuspectByProbes(probe(0, 'returned'), probe(999, 'returned'))).toBe(false);
    expect(isSuspectByProbes(probe(0, 'returned'), probe(1_000, 'confirmed'))).toBe(false);
    expect(isSuspectByProbes(probe(0, 'unknown'), probe(1_000, 'returned'))).toBe(false);
  });

  it('is never derived from a return within 10 s of this process’s own reconnect', () => {
    expect(isReturnCounted(probe(0, 'returned', 9_999))).toBe(false);
    expect(isReturnCounted(probe(0, 'returned', 0))).toBe(false);
    expect(isReturnCounted(probe(0, 'returned', 10_000))).toBe(true);
  });
});

describe('a stale heartbeat', () => {
  const none = { lastFailedAt: null, lastSucceededAt: null, lastBegunAt: null, steadySince: null };
  /** My own heartbeats from 0 on, each answered after the given milliseconds. */
  function beats(...answeredAfterMs: number[]): OwnHeartbeats {
    let own: OwnHeartbeats = none;
    answeredAfterMs.forEach((ms, index) => {
      const dueAt = index * 2_000;
      own = acknowledgedBeat(own, { dueAt, begunAt: dueAt, now: dueAt + ms });
    });
    return own;
  }
  const seen = (unchangedSince: number, seenAt: number): BeatObservation => ({
    beat: 7,
    unchangedSince,
    seenAt,
  });

  it('is unchanged in a listing after 3 s', () => {
    expect(isStalled(seen(100, 3_099), beats(0, 0), 3_100)).toBe(false);
    expect(isStalled(seen(100, 3_100), beats(0, 0), 3_100)).toBe(true);
  });

  it('includes earlier listings, but only from when this process’s heartbeats were in time', () => {
    expect(isStalled(seen(100, 4_000), beats(0, 0, 1_001), 5_002)).toBe(false);
    expect(isStalled(seen(100, 8_001), beats(0, 0, 1_001, 0, 0), 8_001)).toBe(true);
    expect(isStalled(seen(100, 8_000), beats(0, 0, 1_001, 0, 0), 8_000)).toBe(false);
  });

  it('restarts its count when a heartbeat of this process failed', () => {
    const failed = failedBeat(beats(0, 0), 4_000);
    expect(isStalled(seen(100, 7_000), failed, 7_000)).toBe(false);
    const again = acknowledgedBeat(failed, { dueAt: 6_000, begunAt: 6_000, now: 6_010 });
    expect(isStalled(seen(100, 6_999), again, 7_000)).toBe(false);
    expect(isStalled(seen(100, 7_000), again, 7_000)).toBe(true);
  });

  it('requires a heartbeat of this process that began meanwhile, and no overdue one', () => {
    expect(isStalled(seen(100, 3_200), beats(0), 3_200)).toBe(false);
    expect(isStalled(seen(100, 5_000), beats(0, 0), 5_001)).toBe(false);
    expect(isStalled(seen(100, 5_000), none, 5_000)).toBe(false);
  });
});
