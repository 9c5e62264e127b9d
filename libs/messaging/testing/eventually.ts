import { setTimeout as delay } from 'node:timers/promises';

/** Polls `ask` until it returns a truthy value; throws after `timeoutMs`. */
export async function eventually(what: string, ask: () => unknown, timeoutMs = 20_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`did not happen within ${timeoutMs} ms: ${what}`);
    await delay(5);
  }
}
