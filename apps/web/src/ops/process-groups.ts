import type { ListedProcess } from '#contracts';
import { countOf, formatNumber } from '../format/durations.js';

type Role = ListedProcess['role'];

export interface ProcessGroup {
  role: Role;
  name: string;
  processes: ListedProcess[];
  /** What all of them carry together. */
  carries: string;
  versions: string;
  lost: number;
}

const NAMES: Record<Role, string> = {
  gateway: 'Gateways',
  orchestrator: 'Orchestrators',
  worker: 'Tool workers',
};

/** One group for each role, also for one without processes. */
export function groupByRole(processes: readonly ListedProcess[]): ProcessGroup[] {
  return (Object.keys(NAMES) as Role[]).map((role) => {
    const own = processes.filter((process) => process.role === role);
    const living = own.filter(({ is_alive }) => is_alive);
    const draining = living.filter(({ load }) => load.draining).length;
    const lost = own.length - living.length;
    const parts = [
      ...(living.length === 0 ? ['none is running'] : [carriedBy(role, living)]),
      ...(draining > 0 ? [`${formatNumber(draining)} draining`] : []),
      ...(lost > 0 ? [`${formatNumber(lost)} lost`] : []),
    ];
    const versions = [...new Set(own.map(({ version }) => version ?? 'unknown'))].sort().join(', ');
    return { role, name: NAMES[role], processes: own, carries: parts.join(', '), versions, lost };
  });
}

/** What a process does now, in words. */
export function loadText({ role, load }: Pick<ListedProcess, 'role' | 'load'>): string {
  return carriedBy(role, [{ load }]);
}

/** How full it is, from 0 to 1; only workers know how much they can carry. */
export function fullness({ load }: Pick<ListedProcess, 'load'>): number | undefined {
  const { running, slots } = callsOf([{ load }]);
  return slots === 0 ? undefined : Math.min(1, running / slots);
}

function carriedBy(role: Role, processes: readonly Pick<ListedProcess, 'load'>[]): string {
  const sum = (read: (load: ListedProcess['load']) => number | undefined) =>
    processes.reduce((total, { load }) => total + (read(load) ?? 0), 0);
  if (role === 'gateway') {
    const viewers = sum(({ viewers }) => viewers);
    return `${countOf(
      sum(({ sockets }) => sockets),
      'socket',
    )}, ${countOf(viewers, 'viewer')}`;
  }
  if (role === 'orchestrator') {
    const waits = sum(({ model_waits }) => model_waits);
    const turns = sum((load) => load.turns);
    return `${countOf(turns, 'turn')}${waits === 0 ? '' : `, ${formatNumber(waits)} wait for a model`}`;
  }
  const { running, slots } = callsOf(processes);
  return `${formatNumber(running)} of ${countOf(slots, 'slot')}`;
}

function callsOf(processes: readonly Pick<ListedProcess, 'load'>[]): { running: number; slots: number } {
  const toolsets = processes.flatMap(({ load }) => Object.values(load.toolsets ?? {}));
  return {
    running: toolsets.reduce((sum, toolset) => sum + toolset.running, 0),
    slots: toolsets.reduce((sum, toolset) => sum + toolset.slots, 0),
  };
}
