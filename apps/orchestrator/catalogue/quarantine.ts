import {
  ALL_PROCESSES,
  MAX_SWITCH_REASON,
  newMessage,
  QUARANTINE,
  switchIdOf,
  type ListedDefinition,
  type Switch,
} from '#contracts';
import { ActionLog } from '#journal';
import { timestampOf } from '#time';
import { toPrintable } from '#tools';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';

/** With more tools than this, their whole toolset is paused: every process reads all switches every 2 s. */
const MAX_TOOLS = 10;

type Block = Pick<Switch, '_id' | 'kind' | 'name'> & { reason: string };

export type QuarantineDeps = Pick<
  OrchestratorDeps,
  'store' | 'bus' | 'auditLog' | 'auditTrail' | 'clock' | 'random'
>;

/** Blocks tools whose definitions are pending, by switches that an operator undoes to accept them. */
export class Quarantine {
  private readonly actions: ActionLog;

  constructor(private readonly deps: QuarantineDeps) {
    const { auditLog, auditTrail, clock } = deps;
    this.actions = new ActionLog({ log: auditLog, trail: auditTrail, clock });
  }

  /** `isStillPending` is asked after the switches were read: an operator accepts before he undoes a switch. */
  async block(
    pending: readonly ListedDefinition[],
    isStillPending: (rows: readonly ListedDefinition[]) => Promise<ListedDefinition[]>,
  ): Promise<void> {
    if (pending.length === 0) return;
    const { store, clock, bus } = this.deps;
    const set = new Map((await store.listSwitches()).map((row) => [row._id, row]));
    const blocks = blocksFor(await isStillPending(pending)).filter(({ _id, reason }) => {
      const present = set.get(_id);
      // The reason of an operator who has switched it stays.
      return !present || (present.by === QUARANTINE && present.reason !== reason);
    });
    for (const block of blocks) {
      await store.putSwitch({ ...block, by: QUARANTINE, at: timestampOf(clock) });
      const { _id, ...details } = block;
      this.actions.note({ audit: 'switch_set', user_id: QUARANTINE, subject: _id }, details);
    }
    if (blocks.length === 0) return;
    const message = newMessage(this.deps, 'switches.changed', {});
    for (const key of ALL_PROCESSES) void bus.send(key, message).catch(() => undefined);
  }
}

function blocksFor(pending: readonly ListedDefinition[]): Block[] {
  const toolsets = new Set(pending.map(({ toolset }) => toolset));
  return [...toolsets].flatMap((toolset): Block[] => {
    const rows = pending.filter((row) => row.toolset === toolset);
    const tools = [...new Set(rows.map(({ tool }) => tool))];
    if (tools.length > MAX_TOOLS) return [blockOf('toolset', toolset, rows)];
    return tools.map((tool) =>
      blockOf(
        'tool',
        tool,
        rows.filter((row) => row.tool === tool),
      ),
    );
  });
}

function blockOf(kind: 'tool' | 'toolset', name: string, rows: readonly ListedDefinition[]): Block {
  const sentences = rows.map(({ tool, version, breaks }) => {
    const what = kind === 'tool' ? `Version ${version}` : `${tool} ${version}`;
    return `${what} breaks calls made for an earlier one: ${breaks.join(', ')}.`;
  });
  const reason = toPrintable(sentences.join(' '), MAX_SWITCH_REASON);
  return { _id: switchIdOf(kind, name), kind, name, reason };
}
