/** Chance, as one process draws it. Not for secrets: tokens, salts and passwords come from `node:crypto`. */
export interface Random {
  /** An id that nothing else has: `prefix` and a UUID. */
  id(prefix?: string): string;
  /** 0 ≤ … < 1. */
  float(): number;
  /** Between three and five quarters of `ms`, so that what began together does not go on together. */
  jitter(ms: number): number;
  bytes(count: number): Uint8Array;
}
