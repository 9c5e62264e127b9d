import type { ErrorDetail } from '#contracts';

/** Everything as JSON: a string is copied faster than the many small objects that it may hold. */
export interface CheckRequest {
  /** Reduced. */
  schema: string;
  /** `$schema`, if it has one. */
  dialect: string;
  args: string;
}

/** How a check ended. `too_slow`: it was stopped; `died`: of too little memory; `failed`: it threw. */
export type CheckEnd = { error: ErrorDetail | undefined } | 'too_slow' | 'died' | 'failed';

/** `too_many`: others of the same user were still waiting. */
export type SlowCheckEnd = CheckEnd | 'too_many';

/** Checks arguments against schemas that do not bound what a check costs. The compiled schemas are kept. */
export interface SlowChecks {
  /** The longest that one check may take. */
  readonly limitMs: number;
  /** Never rejects. */
  check(userId: string, request: CheckRequest): Promise<SlowCheckEnd>;
}
