import 'reflect-metadata';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Health } from './health.js';
import { HealthModule } from './health.module.js';
import { createMetrics, type Registry } from './metrics/create-metrics.js';
import { opsRequests } from './ops-requests.js';

const createClock = () => new VirtualClock(new SeededRandom(1));

describe('Health', () => {
  it('reports ready only after the start, and never again after the drain began', async () => {
    const health = new Health(createClock());
    health.addCheck('store', () => true);
    expect(await health.readiness()).toEqual({ status: 'starting', checks: { store: 'ok', draining: 'ok' } });
    health.markStarted();
    expect(await health.readiness()).toEqual({ status: 'ready', checks: { store: 'ok', draining: 'ok' } });
    health.markDraining();
    health.markStarted();
    expect(await health.readiness()).toEqual({
      status: 'draining',
      checks: { store: 'ok', draining: 'failing' },
    });
  });

  it('is unavailable while a check returns false, rejects or throws', async () => {
    for (const check of [
      () => false,
      () => Promise.reject(new Error('down')),
      () => JSON.parse('{') as boolean,
    ]) {
      const health = new Health(createClock());
      health.markStarted();
      health.addCheck('bus', () => true);
      health.addCheck('store', check);
      expect(await health.readiness()).toEqual({
        status: 'unavailable',
        checks: { bus: 'ok', store: 'failing', draining: 'ok' },
      });
    }
  });

  it('asks the store at most once a second', async () => {
    const clock = createClock();
    let pings = 0;
    const health = new Health(clock);
    health.addCheck('store', () => Promise.resolve(++pings));
    await Promise.all([health.readiness(), health.readiness()]);
    await clock.advance(999);
    await health.readiness();
    expect(pings).toBe(1);
    await clock.advance(1);
    await health.readiness();
    expect(pings).toBe(2);
  });

  it('treats a check that has not ended after two seconds as failed', async () => {
    const clock = createClock();
    const health = new Health(clock);
    health.addCheck('store', () => new Promise(() => undefined));
    health.addCheck('bus', () => clock.sleep(1_999));
    const ready = health.readiness();
    await clock.advance(2_000);
    expect((await ready).checks).toEqual({ store: 'failing', bus: 'ok', draining: 'ok' });
  });
});

interface Sources {
  health: Health;
  registry: Registry;
}
interface Served {
  url: string;
  close: () => unknown;
}

async function serveWithNest(sources: Sources): Promise<Served> {
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.create(HealthModule.register(sources), options);
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: () => app.close() };
}

async function serveAlone(sources: Sources): Promise<Served> {
  const server = createServer(opsRequests(sources)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}

describe.each([
  ['the module of a gateway', serveWithNest],
  ['the server of operators', serveAlone],
])('health and metrics, by %s', (_by, serve) => {
  let served: Served;
  let url: string;
  let health: Health;
  let isStoreUp: boolean;
  let clock: VirtualClock;

  beforeEach(async () => {
    clock = createClock();
    isStoreUp = true;
    health = new Health(clock);
    health.addCheck('store', () => isStoreUp);
    const { registry, turnsStarted } = createMetrics();
    turnsStarted.inc();
    served = await serve({ health, registry });
    url = served.url;
  });
  afterEach(() => void served.close());

  it('reports alive as soon as it listens', async () => {
    const response = await fetch(`${url}/health/live`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'alive' }]);
  });

  it('answers 200 only while the process accepts work', async () => {
    const ready = async (): Promise<[number, string]> => {
      await clock.advance(1_000);
      const response = await fetch(`${url}/health/ready`);
      return [response.status, ((await response.json()) as { status: string }).status];
    };
    expect(await ready()).toEqual([503, 'starting']);
    health.markStarted();
    expect(await ready()).toEqual([200, 'ready']);
    isStoreUp = false;
    expect(await ready()).toEqual([503, 'unavailable']);
    isStoreUp = true;
    expect(await ready()).toEqual([200, 'ready']);
    health.markDraining();
    expect(await ready()).toEqual([503, 'draining']);
  });

  it('serves the metrics as text', async () => {
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('switchyard_turns_started_total 1');
  });

  it('answers HEAD without a body, and nothing else', async () => {
    const head = await fetch(`${url}/health/live`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const [path, method] of [
      ['/health/live', 'POST'],
      ['/toString', 'GET'],
      ['/', 'GET'],
    ] as const)
      expect((await fetch(`${url}${path}`, { method })).status).toBe(404);
  });
});

it('the server of operators answers 500 when the metrics cannot be read', async () => {
  const { registry } = createMetrics();
  registry.metrics = () => Promise.reject(new Error('broken'));
  const { url, close } = await serveAlone({ health: new Health(createClock()), registry });
  expect((await fetch(`${url}/metrics`)).status).toBe(500);
  close();
});
