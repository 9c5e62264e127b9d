import type { Request } from 'express';

/** Who watches a full process must not take it for a dead one. */
const ALWAYS_SERVED = /^\/(health\/|metrics$)/i;

/** Whether no limit holds for a request. */
export function isAlwaysServed({ path }: Request): boolean {
  return ALWAYS_SERVED.test(path);
}
