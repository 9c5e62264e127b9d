import { LRUCache } from 'lru-cache';
import {
  definitionIdOf,
  type Definition,
  type ListedDefinition,
  type ToolDefinition,
  type Toolset,
} from '#contracts';
import { timestampOf } from '#time';
import { judgeDefinition, predecessorOf, type Judged } from '#tools';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import { Quarantine, type QuarantineDeps } from './quarantine.js';

/** Of one toolset: a server that changes its tools all the time must not fill the store. */
const MAX_DEFINITIONS = 2_000;
const MAX_JUDGED = 20_000;

interface Announced {
  toolset: Toolset;
  tool: ToolDefinition;
}

/**
 * Judges definitions of tools when workers announce them for the first time, and keeps them as rows, so that every
 * orchestrator and every later start judges by the same ones. A breaking change without a new major version is reported
 * by the orchestrator that stored it. With the setting `quarantine` its tool is blocked until an operator accepts it.
 */
export class DefinitionJudge {
  /** Definitions of which nothing is left to do. Not `max`, which allocates its storage at once, at every start. */
  private readonly judged = new LRUCache<string, true>({ maxSize: MAX_JUDGED, sizeCalculation: () => 1 });
  private readonly quarantine: Quarantine;
  private judging: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: QuarantineDeps & Pick<OrchestratorDeps, 'log' | 'metrics' | 'settings'>,
  ) {
    this.quarantine = new Quarantine(deps);
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
        this.judgeAgain(fresh.map(({ tool }) => definitionIdOf(tool)));
        this.deps.log.warn({ err: error, worker }, 'definitions of tools not judged');
      });
  }

  /** At their next announcement. */
  private judgeAgain(ids: readonly string[]): void {
    for (const id of ids) this.judged.delete(id);
  }

  private async judgeAll(fresh: readonly Announced[], worker: string): Promise<void> {
    const known = await this.list(fresh.map(({ tool }) => tool.name));
    const pending: ListedDefinition[] = [];
    const unkept = new Set<string>();
    for (const announced of fresh) {
      const id = definitionIdOf(announced.tool);
      const stored = known.find(({ _id }) => _id === id);
      const row = stored ?? (await this.judge(announced, known, worker, unkept));
      if (!row) continue;
      if (!stored && !unkept.has(id)) known.push(row);
      if (row.state === 'pending') pending.push(row);
    }
    if (!this.deps.settings.quarantine) return;
    // Until they are accepted. One that is not kept cannot be, so it is blocked once.
    this.judgeAgain(pending.map(({ _id }) => _id).filter((id) => !unkept.has(id)));
    await this.quarantine.block(pending, async (rows) => {
      const now = await this.list(rows.map(({ tool }) => tool));
      const accepted = new Set(now.filter(({ state }) => state === 'accepted').map(({ _id }) => _id));
      return rows.filter(({ _id }) => !accepted.has(_id));
    });
  }

  /** Undefined when another orchestrator stores it at the same time. `unkept`: gets its id if it is not stored. */
  private async judge(
    { toolset, tool }: Announced,
    known: readonly ListedDefinition[],
    worker: string,
    unkept: Set<string>,
  ): Promise<ListedDefinition | undefined> {
    const { store, log } = this.deps;
    const before = predecessorOf(toolset, tool, known);
    // Only one of many definitions, whose schemas may be large.
    const whole = before && (await store.getDefinition(before._id));
    const judged = judgeDefinition(toolset, tool, whole ?? undefined);
    const row = this.rowOf(judged);
    const inserted = await store.insertDefinition(row, MAX_DEFINITIONS);
    if (inserted === 'taken') {
      this.judgeAgain([row._id]);
      return undefined;
    }
    if (inserted === 'full') {
      unkept.add(row._id);
      const { tool, toolset, version } = row;
      log.warn({ tool, toolset, version, worker }, 'definition of a tool not kept: its toolset has too many');
    }
    this.report(judged, worker);
    return row;
  }

  private rowOf({ breaks_version: _version, ...definition }: Judged): Definition {
    const isPending = definition.breaks.length > 0 && this.deps.settings.quarantine;
    return { ...definition, state: isPending ? 'pending' : 'accepted', at: timestampOf(this.deps.clock) };
  }

  private report({ tool, toolset, version, breaks_version, breaks }: Judged, worker: string): void {
    if (breaks.length === 0) return;
    const { metrics, log } = this.deps;
    metrics.toolBreakingChanges.inc({ toolset });
    const fields = { tool, toolset, version, breaks_version, breaks, worker };
    log.warn(fields, 'breaking change of a tool without a new major version');
  }

  private list(tools: readonly string[]): Promise<ListedDefinition[]> {
    return this.deps.store.listDefinitions([...new Set(tools)]);
  }
}
