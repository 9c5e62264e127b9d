import { afterAll, afterEach, expect } from '@jest/globals';
import type { Cluster } from './cluster.js';

/**
 * For a `describe` whose tests share a cluster: after each of them no process has complained, and after all nothing
 * is left, however far the start came. `others` end last: processes may need them until they are gone.
 */
export function endCluster(
  cluster: () => Cluster | undefined,
  others: () => readonly (Promise<unknown> | undefined)[] = () => [],
): void {
  afterEach(() => {
    cluster()?.closeViewers();
    expect(cluster()?.errors).toEqual([]);
  });
  afterAll(async () => {
    await cluster()?.stop();
    await Promise.all(others());
  }, 30_000);
}
