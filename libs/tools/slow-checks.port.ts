import type { ErrorDetail } from '#contracts';

/** Everything is JSON text: copying a string is faster than copying the many small objects that it may hold. */
export interface CheckRequest {
  /** The reduced schema. */
  schema: string;
  /** The schema's `$schema`, if it has one. */
  dialect: string;
  args: string;
}

/** How a check ended. `too_slow`: it was stopped. `died`: it ran out of memory. `failed`: it threw. */
export type CheckEnd = { error: ErrorDetail | undefined } | 'too_slow' | 'died' | 'failed';

/** `too_many`: too many checks of the same user were still waiting. */
export type SlowCheckEnd = CheckEnd | 'too_many';

/** Checks arguments against schemas that do not bound the cost of a check. Compiled schemas are kept. */
export interface SlowChecks {
  /** The maximum duration of one check. */
  readonly limitMs: number;
  /** Never rejects. */
  check(userId: string, request: CheckRequest): Promise<SlowCheckEnd>;
}
