/** Randomness, as one process draws it. Not for secrets: tokens, salts and passwords come from `node:crypto`. */
export interface Random {
  /** A unique id: `prefix` and a UUID. */
  id(prefix?: string): string;
  /** 0 ≤ … < 1. */
  float(): number;
  /** Between three and five quarters of `ms`, so that processes that started together do not continue in step. */
  jitter(ms: number): number;
  bytes(count: number): Uint8Array;
}
