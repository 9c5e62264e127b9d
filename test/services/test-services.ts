import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { askServiceHost } from './ask-service-host.js';
import { RabbitmqManagement } from './rabbitmq-management.js';
import type { NeededService, ServicePlan, ServicePlans } from './services.js';

export interface RabbitmqForTest {
  /** Broker URL of a vhost that nobody else uses. */
  url: string;
  vhost: string;
  management: RabbitmqManagement;
}

export interface MongoForTest {
  /** URL with a database name that nobody else uses. */
  url: string;
  database: string;
}

const releases: (() => Promise<unknown>)[] = [];

/**
 * A `describe` that is skipped, with the reason in its title, when a service is missing. With REQUIRE_SERVICES=1
 * it fails instead. After its tests the vhosts and databases they took are removed.
 */
export function describeWithServices(needed: NeededService[], title: string, define: () => void): void {
  const missing = needed.map(explainMissing).filter((reason) => reason !== undefined);
  if (missing.length === 0) {
    describe(title, () => {
      afterAll(releaseAll, 30_000);
      define();
    });
  } else if (process.env.REQUIRE_SERVICES === '1') {
    test(`${title} (REQUIRE_SERVICES=1)`, () => {
      throw new Error(`missing services: ${missing.join('; ')}`);
    });
  } else {
    describe.skip(`${title} [SKIPPED, ${missing.join('; ')}]`, define);
  }
}

/** A fresh vhost on the run's broker, or undefined when the broker is skipped. Call it in `beforeAll`. */
export async function rabbitmqForTest(): Promise<RabbitmqForTest | undefined> {
  if (explainMissing('rabbitmq')) return undefined;
  const { url: brokerUrl, managementUrl } = await askServiceHost('rabbitmq');
  const management = new RabbitmqManagement(managementUrl!);
  const vhost = makeUniqueName();
  await management.createVhost(vhost);
  releases.push(() => management.deleteVhost(vhost));
  const url = new URL(brokerUrl);
  url.pathname = `/${encodeURIComponent(vhost)}`;
  return { url: url.href, vhost, management };
}

/** A fresh database on the run's MongoDB, or undefined when that is skipped. Call it in `beforeAll`. */
export async function mongoForTest(): Promise<MongoForTest | undefined> {
  if (explainMissing('mongo')) return undefined;
  const { url: serverUrl } = await askServiceHost('mongo');
  const database = makeUniqueName();
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  releases.push(() => dropDatabase(url.href));
  return { url: url.href, database };
}

/** Long enough for the broker's start, which the first file that needs it waits for. */
export const serviceStartTimeoutMs = 120_000;

function explainMissing(name: NeededService): string | undefined {
  const plan = readPlan(name);
  return plan.source === 'skipped' ? `${name}: ${plan.detail}` : undefined;
}

function readPlan(name: NeededService): ServicePlan {
  const plans = process.env.SWITCHYARD_TEST_SERVICE_PLANS;
  if (!plans) return { source: 'skipped', detail: 'this file does not run in the jest project "services"' };
  return (JSON.parse(plans) as ServicePlans)[name];
}

/** Readable in a broker's list, and within MongoDB's 63 bytes for a database name. */
function makeUniqueName(): string {
  const file = basename(expect.getState().testPath ?? 'test', '.spec.ts').replace(/[^a-z0-9]+/gi, '_');
  return `${file.slice(0, 40)}_${randomBytes(5).toString('hex')}`;
}

async function dropDatabase(url: string): Promise<void> {
  const connection = await mongoose.createConnection(url).asPromise();
  await connection.dropDatabase();
  await connection.close();
}

async function releaseAll(): Promise<void> {
  await Promise.all(releases.splice(0).map((release) => release()));
}
