import type { Clock } from './clock.port.js';

/** Resolves after what is under way, I/O that waits included. */
export function letOthersRun(clock: Pick<Clock, 'soon'>): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}
