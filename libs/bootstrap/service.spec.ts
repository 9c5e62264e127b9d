import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '#observability';
import type { Store } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Service } from './service.js';

/** Longer than an answer of the health checks is reused, and than a check may take. */
const LATER_MS = 2_500;

describe('switchyard_ready', () => {
  let clock: VirtualClock;
  let ping: () => Promise<void>;
  let service: Service;

  beforeEach(async () => {
    clock = new VirtualClock(new SeededRandom(1));
    ping = () => Promise.resolve();
    const store = { open: () => Promise.resolve(), ping: () => ping() } as unknown as Store;
    const logger = createLogger({ role: 'worker', level: 'silent', pretty: false });
    service = new Service({
      clock,
      random: new SeededRandom(1),
      role: 'worker',
      logger,
      store,
      config: { drainGraceMs: 0, auditDays: 30, notices: [], otlpEndpoint: undefined },
    });
    await service.open();
  });

  async function scrape(): Promise<number> {
    const text = await service.metrics.registry.metrics();
    return Number(/^switchyard_ready (\d)$/m.exec(text)?.[1]);
  }

  it('is 1 while the process takes work, and 0 before, while a check fails, and while it drains', async () => {
    expect(await scrape()).toBe(0);
    service.health.markStarted();
    expect(await scrape()).toBe(1);
    ping = () => Promise.reject(new Error('down'));
    await clock.advance(LATER_MS);
    expect(await scrape()).toBe(0);
    ping = () => Promise.resolve();
    await clock.advance(LATER_MS);
    expect(await scrape()).toBe(1);
    service.health.markDraining();
    expect(await scrape()).toBe(0);
  });

  it('does not hold a scrape back for a store that does not answer: the next scrape is 0', async () => {
    service.health.markStarted();
    expect(await scrape()).toBe(1);
    ping = () => new Promise(() => {});
    await clock.advance(LATER_MS);
    let first: number | undefined;
    void scrape().then((value) => (first = value));
    await clock.runUntil('the scrape', () => first !== undefined, 1_000);
    await clock.advance(LATER_MS);
    const asked = scrape();
    await clock.advance(LATER_MS);
    expect([first, await asked]).toEqual([1, 0]);
  });
});
