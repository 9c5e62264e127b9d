import { LRUCache } from 'lru-cache';
import {
  ALL_PROCESSES,
  definitionIdOf,
  MAX_SWITCH_REASON,
  newMessage,
  switchIdOf,
  type Definition,
  type ListedDefinition,
  type ToolDefinition,
  type Toolset,
} from '#contracts';
import { ActionLog } from '#journal';
import { timestampOf } from '#time';
import { judgeDefinition, predecessorOf, toPrintable, type Judged } from '#tools';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';

/** Of one toolset: a server that changes its tools all the time must not fill the store. */
const MAX_DEFINITIONS = 2_000;
const MAX_JUDGED = 20_000;
/** Who blocks a quarantined tool; no user has this id. */
const QUARANTINE = 'quarantine';

interface Announced {
  toolset: Toolset;
  tool: ToolDefinition;
}

/**
 * Judges definitions of tools when workers announce them for the first time, and keeps them as rows, so that every
 * orchestrator and every later start judges by the same ones. A breaking change without a new major version is reported
 * by the orchestrator that stored it. With the setting `quarantine` its tool is blocked, by a switch, until an operator
 * resumes it.
 */
export class DefinitionJudge {
  // Not `max`, which allocates its storage at once, at every start.
  private readonly judged = new LRUCache<string, true>({ maxSize: MAX_JUDGED, sizeCalculation: () => 1 });
  private readonly actions: ActionLog;
  private judging: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: Pick<
      OrchestratorDeps,
      'store' | 'bus' | 'log' | 'auditLog' | 'auditTrail' | 'metrics' | 'settings' | 'clock' | 'random'
    >,
  ) {
    const { auditLog, auditTrail, clock } = deps;
    this.actions = new ActionLog({ log: auditLog, trail: auditTrail, clock });
  }

  /** In the background, one announcement after the other. */
  note(toolsets: readonly Toolset[], worker: string): void {
    const announced = toolsets.flatMap((toolset) => toolset.tools.map((tool) => ({ toolset, tool })));
    const fresh = announced.filter(({ tool }) => !this.judged.has(definitionIdOf(tool)));
    if (fresh.length === 0) return;
    for (const { tool } of fresh) this.judged.set(definitionIdOf(tool), true);
    this.judging = this.judging
      .then(() => this.judgeAll(fresh, worker))
      .catch((error: unknown) => {
        // The next announcement tries again.
        for (const { tool } of fresh) this.judged.delete(definitionIdOf(tool));
        this.deps.log.warn({ err: error, worker }, 'definitions of tools not judged');
      });
  }

  private async judgeAll(fresh: readonly Announced[], worker: string): Promise<void> {
    const known = await this.deps.store.listDefinitions([...new Set(fresh.map(({ tool }) => tool.name))]);
    for (const { toolset, tool } of fresh) {
      const stored = known.find(({ _id }) => _id === definitionIdOf(tool));
      // Whoever stored it may have died before it blocked the tool.
      if (stored) await this.quarantine(stored);
      else known.push(...(await this.judge({ toolset, tool }, known, worker)));
    }
  }

  private async judge(
    { toolset, tool }: Announced,
    known: readonly ListedDefinition[],
    worker: string,
  ): Promise<ListedDefinition[]> {
    const before = predecessorOf(toolset, tool, known);
    // Only one of many definitions, whose schemas may be large.
    const whole = before && (await this.deps.store.getDefinition(before._id));
    return this.store(judgeDefinition(toolset, tool, whole ?? undefined), worker);
  }

  private async store(judged: Judged, worker: string): Promise<ListedDefinition[]> {
    const { store, settings, clock, metrics, log } = this.deps;
    const { breaks_version, ...definition } = judged;
    const isPending = definition.breaks.length > 0 && settings.quarantine;
    const row: Definition = {
      ...definition,
      state: isPending ? 'pending' : 'accepted',
      at: timestampOf(clock),
    };
    const { tool, toolset, version, breaks } = row;
    const inserted = await store.insertDefinition(row, MAX_DEFINITIONS);
    if (inserted === 'full')
      log.warn({ tool, toolset, version, worker }, 'definition of a tool not kept: its toolset has too many');
    if (inserted !== 'inserted') return [];
    if (breaks.length > 0) {
      metrics.toolBreakingChanges.inc({ toolset });
      const fields = { tool, toolset, version, breaks_version, breaks, worker };
      log.warn(fields, 'breaking change of a tool without a new major version');
    }
    await this.quarantine(row);
    return [row];
  }

  private async quarantine({ state, tool, version, breaks }: ListedDefinition): Promise<void> {
    if (state !== 'pending' || !this.deps.settings.quarantine) return;
    const { store, clock, bus } = this.deps;
    const _id = switchIdOf('tool', tool);
    const switches = await store.listSwitches();
    // The reason of an operator who has blocked it stays.
    if (switches.some((row) => row._id === _id)) return;
    const why = `Version ${version} breaks calls made for an earlier one: ${breaks.join(', ')}.`;
    const reason = toPrintable(why, MAX_SWITCH_REASON);
    await store.putSwitch({ _id, kind: 'tool', name: tool, by: QUARANTINE, at: timestampOf(clock), reason });
    this.actions.note({ audit: 'switch_set', user_id: QUARANTINE, subject: _id }, { tool, reason });
    const message = newMessage(this.deps, 'switches.changed', {});
    for (const key of ALL_PROCESSES) void bus.send(key, message).catch(() => undefined);
  }
}
