import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { CLUSTER_START_MS } from '../e2e/cluster.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { casesOf, type Role } from './fault-cases.js';
import { FaultWorld } from './fault-world.js';
import { Report } from './report.js';
import { CaseRun } from './run-case.js';

const CASE_MS = 150_000;

/** Every kind of fault at every point of one kind of process, in an installation with two of each. */
export function describeFaults(role: Role): void {
  describeWithServices(['rabbitmq', 'mongo'], `a fault in a ${role}`, () => {
    const report = new Report(role);
    let world: FaultWorld;

    beforeAll(async () => {
      world = await FaultWorld.start(role);
    }, serviceStartTimeoutMs + CLUSTER_START_MS);

    afterEach(() => {
      expect(world?.cluster.errors).toEqual([]);
    });

    afterAll(async () => {
      await world?.stop();
      report.print();
    }, 30_000);

    for (const fault of casesOf(role)) {
      it(fault.title, () => report.measure(fault.title, () => new CaseRun(world, fault).run()), CASE_MS);
    }
  });
}
