import { it, jest } from '@jest/globals';
import { appendFileSync } from 'node:fs';
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: <T>(ms: number, value?: T) => new Promise((resolve) => setTimeout(() => resolve(value), ms)),
  setImmediate: <T>(value?: T) => new Promise((resolve) => setImmediate(() => resolve(value))),
}));
const { runChaos } = await import('./run.js');
it('explore', async () => {
  const [from, to] = (process.env.CHAOS_SEEDS ?? '1..3').split('..').map(Number);
  for (let seed = from!; seed <= (to ?? from!); seed++) {
    const t = performance.now();
    const { violations, summary } = await runChaos(seed);
    appendFileSync(
      process.env.CHAOS_OUT!,
      `${seed} ${summary} ${Math.round(performance.now() - t)} ms\n${violations.map((v) => `   ! ${v}\n`).join('')}`,
    );
  }
}, 10_000_000);
