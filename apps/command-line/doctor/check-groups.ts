import type { Checked, ProcessLoad } from '#contracts';
import { foreignHosts, type WorkerGroup } from '#messaging';

interface Hosting {
  id: string;
  load: ProcessLoad;
}

/** Toolsets of groups that workers outside of them host, too; `workers`: those that may live. */
export function checkGroups(groups: readonly WorkerGroup[], workers: readonly Hosting[]): Checked[] {
  const hostsOf = (toolset: string) =>
    workers.filter(({ load }) => Object.hasOwn(load.toolsets ?? {}, toolset)).map(({ id }) => id);
  return foreignHosts(groups, hostsOf).map(describe);
}

function describe({ toolset, group, worker }: ReturnType<typeof foreignHosts>[number]): Checked {
  return {
    subject: 'groups',
    level: 'warning',
    text: `${worker} hosts ${toolset}, which is in the group ${group}: calls reach its workers only by chance`,
    mend: `Take ${toolset} out of its TOOLSETS, or out of the group. A worker that died counts until its row is removed, within an hour.`,
  };
}
