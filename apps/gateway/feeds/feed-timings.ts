/** Milliseconds. */
export interface FeedTimings {
  /** How long a client waits for its conversation's events to be bound. After that, the store is read anyway. */
  followMs: number;
  /** Between the starts of two reads of one conversation. */
  rereadMs: number;
  /** After this time without an event, a conversation with an unfinished turn is read again. */
  quietMs: number;
  /** `quietMs` doubles up to this while such reads find nothing. */
  longestQuietMs: number;
  /** How long a conversation without viewers stays bound. */
  lingerMs: number;
}

export const DEFAULT_FEED_TIMINGS: FeedTimings = {
  followMs: 1_000,
  rereadMs: 1_000,
  quietMs: 5_000,
  longestQuietMs: 10_000,
  lingerMs: 30_000,
};
