/** The frontend's PATCH of the title must be answered before (it asks at the message, and needs 100 ms after). */
const SOONEST_COMPLETE_MS = 300;
/** The time that the frontend needs to put an answer in its final place. */
const QUIET_MS = 200;

/** Milliseconds of one clock. */
export interface FrameTimes {
  /** When its message came; absent: it did not come on this socket. */
  messageAt?: number;
  /** When the socket completed the turn before. */
  completedAt?: number;
}

/** When the first frame of a turn may be sent, and when its `complete`. */
export function timesOf({ messageAt, completedAt }: FrameTimes): { first: number; complete: number } {
  const first = completedAt === undefined ? -Infinity : completedAt + QUIET_MS;
  return {
    first,
    complete: messageAt === undefined ? first : Math.max(first, messageAt + SOONEST_COMPLETE_MS),
  };
}
