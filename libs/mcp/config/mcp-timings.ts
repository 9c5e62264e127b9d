export interface BreakerSettings {
  /** Failures in a row that open it. */
  failures: number;
  /** How long it stays open; doubles with each probe that fails. */
  minOpenMs: number;
  maxOpenMs: number;
}

export interface McpTimings {
  /** How long `start` waits for the first listing; connecting goes on after it. */
  firstTryMs: number;
  /** The first pause before another try; doubles up to `maxPauseMs`, with jitter. */
  minPauseMs: number;
  maxPauseMs: number;
  /** How often an HTTP server is asked for its tools if it gives no time: it cannot tell that it is gone. */
  checkEveryMs: number;
  /** A server that says its list is good for less is not asked more often. */
  minTtlMs: number;
  /** Between the listings of a server that says again and again that its tools changed; doubles up to `maxPauseMs`. */
  minRelistMs: number;
  breaker: BreakerSettings;
}

export const DEFAULT_TIMINGS: McpTimings = {
  firstTryMs: 5000,
  minPauseMs: 500,
  maxPauseMs: 30_000,
  checkEveryMs: 30_000,
  minTtlMs: 5000,
  minRelistMs: 1000,
  breaker: { failures: 5, minOpenMs: 5000, maxOpenMs: 60_000 },
};
