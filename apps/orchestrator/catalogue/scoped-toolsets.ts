import type { Log } from '#journal';
import type { Metrics } from '#observability';
import type { Catalogue } from '#tools';

/**
 * Tells operators, once each time it begins, that two workers announce a toolset that keeps data for a user or a
 * conversation. A call then reaches either worker by chance, and finds only that worker's data.
 */
export class ScopedToolsets {
  private contested = new Set<string>();

  constructor(
    private readonly deps: { log: Pick<Log, 'warn'>; metrics: Pick<Metrics, 'scopedToolsetConflicts'> },
  ) {}

  /** Call this after every change of the catalogue. */
  check(catalogue: Pick<Catalogue, 'scopedToolsets' | 'workersOf'>): void {
    const contested = catalogue.scopedToolsets().filter((toolset) => catalogue.workersOf(toolset) > 1);
    for (const toolset of contested) {
      if (this.contested.has(toolset)) continue;
      const workers = catalogue.workersOf(toolset);
      this.deps.metrics.scopedToolsetConflicts.inc({ toolset });
      this.deps.log.warn(
        { toolset, workers },
        'scoped toolset announced by more than one worker: list it in TOOLSETS of only one',
      );
    }
    this.contested = new Set(contested);
  }
}
