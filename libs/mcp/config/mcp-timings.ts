export interface BreakerSettings {
  /** Failures in a row that open the circuit breaker. */
  failures: number;
  /** How long it stays open; doubles with each probe that fails. */
  minOpenMs: number;
  maxOpenMs: number;
}

export interface McpTimings {
  /** How long `start` waits for the first listing; connecting continues afterwards. */
  firstTryMs: number;
  /** The pause after the first failed attempt; doubles up to `maxPauseMs`, with jitter. */
  minPauseMs: number;
  maxPauseMs: number;
  /** How often an HTTP server without a TTL lists its tools: its end is not visible otherwise. */
  checkEveryMs: number;
  /** The shortest time between listings, for servers with a shorter TTL. */
  minTtlMs: number;
  /** Between listings of a server that keeps reporting changed tools; doubles up to `maxPauseMs`. */
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
