import { groupOf, type Checked, type ProcessLoad } from '#contracts';
import type { WorkerGroup } from '#messaging';

interface Hosting {
  id: string;
  load: ProcessLoad;
}

/** Toolsets of groups that workers outside of them host, too; `workers`: those that may live. */
export function checkGroups(groups: readonly WorkerGroup[], workers: readonly Hosting[]): Checked[] {
  return groups.flatMap(({ name, toolsets }) =>
    toolsets.flatMap((toolset) =>
      workers
        .filter(({ id, load }) => groupOf(id) !== name && Object.hasOwn(load.toolsets ?? {}, toolset))
        .map(({ id }): Checked => describe(toolset, name, id)),
    ),
  );
}

function describe(toolset: string, group: string, worker: string): Checked {
  return {
    subject: 'groups',
    level: 'warning',
    text: `${worker} hosts ${toolset}, which is in the group ${group}: calls reach its workers only by chance`,
    mend: `Take ${toolset} out of its TOOLSETS, or out of the group. A worker that died counts until its row is removed, within an hour.`,
  };
}
