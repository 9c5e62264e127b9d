import type { Log } from '#journal';
import { foreignHosts, type WorkerGroup } from '#messaging';
import type { Catalogue } from '#tools';

/**
 * Tells operators, once each time it begins, that a worker outside of a group announces a toolset of the group. Calls
 * then reach either by chance, and a tool is offered only if both have it.
 */
export class GroupToolsets {
  private known = new Set<string>();

  constructor(
    private readonly groups: readonly WorkerGroup[],
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /** Call this after every change of the catalogue. */
  check(catalogue: Pick<Catalogue, 'hostsOf'>): void {
    const found = foreignHosts(this.groups, (toolset) => catalogue.hostsOf(toolset));
    for (const about of found) {
      if (this.known.has(keyOf(about))) continue;
      this.log.warn(
        about,
        'toolset of a group announced by a worker outside of it: take it out of TOOLSETS of the worker, or out of the group',
      );
    }
    this.known = new Set(found.map(keyOf));
  }
}

function keyOf({ toolset, worker }: { toolset: string; worker: string }): string {
  return `${toolset} ${worker}`;
}
