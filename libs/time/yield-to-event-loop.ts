import type { Clock } from './clock.port.js';

/** Resolves after the work under way, including waiting I/O. */
export function yieldToEventLoop(clock: Pick<Clock, 'soon'>): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}
