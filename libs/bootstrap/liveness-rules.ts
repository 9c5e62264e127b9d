/*
 * Which processes count as dead or suspect (docs/architecture.md, "Claim and settle"), as pure rules over one process's
 * observations. Times are milliseconds of the observer's own monotonic clock; no clock of another machine is ever
 * compared. Both verdicts may be wrong about a frozen process: that must never break a rule.
 */
import type { PublishOutcome } from '#messaging';

export const BEAT_INTERVAL_MS = 2_000;
export const DEAD_AFTER_MS = 8_000;
/**
 * For this long after one of the observer's own heartbeats failed, nothing is counted: the others may have failed for
 * the same reason.
 */
export const FAILURE_SHADOW_MS = 15_000;
/** Own heartbeats further apart than this count as a failed one: the observer was frozen, or the store was. */
export const MAX_BEAT_GAP_MS = 3 * BEAT_INTERVAL_MS;

export const PROBE_GAP_MS = 1_000;
/**
 * For this long after the observer's own reconnect a returned message proves nothing: the others may not be back yet.
 */
export const RECONNECT_SHADOW_MS = 10_000;

/**
 * A beat that stands still for this long makes an owner suspect whose probes are returned, however young its observer
 * is.
 */
export const STALLED_AFTER_MS = 1.5 * BEAT_INTERVAL_MS;
/**
 * An own heartbeat answered this long after it was due is late: the cause may delay other processes' heartbeats too.
 */
export const LATE_BEAT_MS = 1_000;

/** A moment by both clocks of a process. */
export interface Moment {
  now: number;
  wall: number;
}

/** One listing of the `processes` rows. */
export interface Listing {
  /** Taken before the listing was requested. */
  startedAt: number;
  /** Taken after the answer. */
  endedAt: number;
}

/** This process's observation of another process's `beat`. */
export interface BeatObservation {
  beat: number;
  /** End of the first listing that showed this beat: it had this value no later. */
  unchangedSince: number;
  /** Start of the last listing that showed it: it had this value no earlier. */
  seenAt: number;
}

/** A beat unchanged for this long is a reason to probe its owner, but no verdict. */
const MAY_BE_STALLED_AFTER_MS = BEAT_INTERVAL_MS / 2;

/** Whether the last listings give a reason to send the owner a probe. */
export function mayBeStalled({ seenAt, unchangedSince }: BeatObservation): boolean {
  return seenAt - unchangedSince >= MAY_BE_STALLED_AFTER_MS;
}

/** The knowledge of this process's own heartbeats. */
export interface OwnHeartbeats {
  /** Null: none has failed. */
  lastFailedAt: number | null;
  /** Null: none has succeeded yet. */
  lastSucceededAt: number | null;
  /** When the last successful one began; null: none has succeeded. */
  lastBegunAt: number | null;
  /** Since then no heartbeat has failed or come late; null: there was none. */
  steadySince: number | null;
}

/**
 * The part of the own heartbeats that counting a beat needs: when the last one failed, and when the last one succeeded.
 */
type Answered = Pick<OwnHeartbeats, 'lastFailedAt' | 'lastSucceededAt'>;

/** The observation after one more listing. A changed beat starts again. */
export function observeBeat(
  before: BeatObservation | undefined,
  beat: number,
  listing: Listing,
): BeatObservation {
  if (before?.beat !== beat) return { beat, unchangedSince: listing.endedAt, seenAt: listing.startedAt };
  return { ...before, seenAt: listing.startedAt };
}

/**
 * Milliseconds for which the beat was seen unchanged while the own heartbeats succeeded, without the time after a
 * failure.
 */
export function unchangedForMs(observation: BeatObservation, own: Answered): number {
  if (own.lastSucceededAt === null) return 0;
  const countedFrom =
    own.lastFailedAt === null
      ? observation.unchangedSince
      : Math.max(observation.unchangedSince, own.lastFailedAt + FAILURE_SHADOW_MS);
  const countedUntil = Math.min(observation.seenAt, own.lastSucceededAt);
  return Math.max(0, countedUntil - countedFrom);
}

/** Dead by its beat: unchanged for 8 s that count, and the observer's own last heartbeat is not itself overdue. */
export function isDeadByBeat(observation: BeatObservation, own: Answered, now: number): boolean {
  return !isBeatOverdue(own, now) && unchangedForMs(observation, own) >= DEAD_AFTER_MS;
}

/** True when the own heartbeats have a gap up to `now`, which counts as a failed one. */
export function isBeatOverdue(own: Answered, now: number): boolean {
  return own.lastSucceededAt !== null && now - own.lastSucceededAt > MAX_BEAT_GAP_MS;
}

/** Gone: a listing that was requested after the process was known to exist does not have its row. */
export function isGone(
  rows: readonly { _id: string }[],
  listing: Listing,
  processId: string,
  knownSince: number,
): boolean {
  return listing.startedAt >= knownSince && !rows.some((row) => row._id === processId);
}

export interface Probe {
  outcome: PublishOutcome;
  sentAt: number;
  /** The age of this process's own bus connection when the answer came. */
  connectedForMs: number;
}

/** The knowledge after a heartbeat that was due and began then, and was acknowledged now. */
export function acknowledgedBeat(
  own: OwnHeartbeats,
  { dueAt, begunAt, now }: { dueAt: number; begunAt: number; now: number },
): OwnHeartbeats {
  const isSteady = own.steadySince !== null && now - dueAt <= LATE_BEAT_MS;
  return {
    ...own,
    lastSucceededAt: now,
    lastBegunAt: begunAt,
    steadySince: isSteady ? own.steadySince : now,
  };
}

/**
 * Whether no process can count this one as dead now, nor for the time that a claim takes: its last acknowledged beat
 * began so recently that an observer that has seen it stand still since then has not waited long enough. Both clocks
 * are compared: the monotonic one stops while the machine is suspended, and the other one may be set back.
 */
export function isKnownToLive(lastBegun: Moment | undefined, { now, wall }: Moment): boolean {
  if (!lastBegun) return false;
  const sinceMs = Math.max(now - lastBegun.now, wall - lastBegun.wall);
  return sinceMs <= DEAD_AFTER_MS - BEAT_INTERVAL_MS;
}

export function failedBeat(own: OwnHeartbeats, now: number): OwnHeartbeats {
  return { ...own, lastFailedAt: now, steadySince: now };
}

/**
 * When a beat will have stood still long enough if it stays unchanged; undefined while nothing can be said. Only the
 * time counts in which the own heartbeats began, were acknowledged, and none failed or came late.
 */
export function stalledAt(observation: BeatObservation, own: OwnHeartbeats): number | undefined {
  if (own.steadySince === null) return undefined;
  return Math.max(observation.unchangedSince, own.steadySince) + STALLED_AFTER_MS;
}

/** Whether a beat stands still, by a listing that began late enough, while the own heartbeats are in time. */
export function isStalled(observation: BeatObservation, own: OwnHeartbeats, now: number): boolean {
  const dueAt = stalledAt(observation, own);
  if (dueAt === undefined || observation.seenAt < dueAt) return false;
  const { lastBegunAt } = own;
  if (lastBegunAt === null || lastBegunAt < dueAt - STALLED_AFTER_MS) return false;
  return now - lastBegunAt <= BEAT_INTERVAL_MS + LATE_BEAT_MS;
}

/** A full control queue (`refused`) counts as returned: no process reads it. */
export function isReturnCounted({ outcome, connectedForMs }: Probe): boolean {
  return (outcome === 'returned' || outcome === 'refused') && connectedForMs >= RECONNECT_SHADOW_MS;
}

/** Suspect: two consecutive probes were returned, at least 1 s apart. */
export function isSuspectByProbes(first: Probe, second: Probe): boolean {
  return isReturnCounted(first) && isReturnCounted(second) && second.sentAt - first.sentAt >= PROBE_GAP_MS;
}
