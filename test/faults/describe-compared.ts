import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { CLUSTER_START_MS } from '../e2e/cluster.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { COMPARED } from './compared-cases.js';
import type { Role } from './fault-cases.js';
import { RealFleet } from './real-fleet.js';
import { playOnProcesses } from './real-stage.js';
import { playInWorld } from './world-stage.js';

const CASE_MS = 150_000;

/**
 * A check of `test/world` itself: the same conversation is struck at the same point there and on real processes, and
 * must come to the same.
 */
export function describeCompared(role: Role): void {
  describeWithServices(['rabbitmq', 'mongo'], `a ${role} at its fault points`, () => {
    let fleet: RealFleet;

    beforeAll(async () => {
      fleet = await RealFleet.start(role);
    }, serviceStartTimeoutMs + CLUSTER_START_MS);

    afterEach(() => {
      expect(fleet?.cluster.errors).toEqual([]);
      expect(fleet?.violations).toEqual([]);
    });

    afterAll(() => fleet?.stop(), 30_000);

    it.each(COMPARED[role])(
      'has the same result on real processes and in a simulated world: $kind at $point',
      async (compared) => {
        const simulated = await playInWorld(role, compared);
        expect(await playOnProcesses(fleet, compared)).toEqual(simulated);
      },
      CASE_MS,
    );
  });
}
