import type { ApprovalMode, ModelBudget, ModelPrice, ModelUse, UsageSettings } from '#bootstrap';
import type { CatalogTool, Role, ToolChoice } from '#contracts';
import type { FaultPoint } from '#faults';
import type { Log, Peers } from '#journal';
import type { Model } from '#llm';
import type { Bus } from '#messaging';
import type { Metrics } from '#observability';
import type { Store } from '#store';
import type { Budgets } from '#turn';
import type { Time } from '#time';
import type { InputSchemas, SlowChecks } from '#tools';

export interface OrchestratorSettings {
  /** `provider/model` of turns that do not choose one. */
  model: string;
  /** Of each provider that is configured the model that is asked when only the provider is named. */
  providers: readonly { provider: string; model: string }[];
  /** What a message or conversation may name, also by `*`. */
  allowedModels: readonly string[];
  systemPrompt: string;
  budgets: Budgets;
  /** By provider or model: what all orchestrators together may ask of it. */
  modelBudgets: ReadonlyMap<string, ModelBudget>;
  /** By provider or model: its window, and which models stand in for it. */
  modelUse: ReadonlyMap<string, ModelUse>;
  /** By provider or model: what a million tokens cost. */
  modelPrices: ReadonlyMap<string, ModelPrice>;
  usage: UsageSettings;
  /** What the deployment offers at all. */
  offer: ToolChoice;
  maxOutputTokens: number;
  /** Turns held at once: the prefetch of `turns`. */
  turnsAtOnce: number;
  /** Conversations that nobody has changed for so long are deleted; undefined: they are kept. */
  retentionDays: number | undefined;
  /** Dead letters that are older are removed. */
  deadLetterDays: number;
  /** Toolsets (`math`) and tools (`math.add`) that the deployment configures: who offers none of them is told. */
  configuredTools: readonly string[];
  /** Whether calls of this tool wait for a person; `first`: until one has been approved in the conversation. */
  approvalOf(tool: CatalogTool): ApprovalMode;
  /** The part of the turns that one user may have while turns wait; 1: all of them. */
  fairShare: number;
  /** The part of a toolset's places that one user may have while calls wait; 1: all of them. */
  fairShareOf(toolset: string): number;
  /** Of a tool that has its own limit instead of `budgets.identicalCalls`; undefined: it has none. */
  identicalCallsOf(tool: CatalogTool): number | undefined;
}

export interface OrchestratorDeps extends Time {
  faultPoint: FaultPoint;
  store: Store;
  bus: Bus;
  processId: string;
  peers: Peers & {
    /** Killed, as far as is known: by its beat and by probes. */
    isLost(processId: string): Promise<boolean>;
    /** Processes whose beat stood still for so long. */
    listUnchangedFor(durationMs: number): string[];
    /** Whether a listing that begins now lacks its row. */
    isGone(processId: string): Promise<boolean>;
    /** Processes of a role that live, as far as is known. */
    countLiving(role: Role): number;
  };
  model: Model;
  log: Log;
  /** One record per call that is settled here. */
  auditLog: Pick<Log, 'info'>;
  metrics: Pick<
    Metrics,
    | 'turnsStarted'
    | 'turnsEnded'
    | 'modelCalls'
    | 'modelRetries'
    | 'modelSteps'
    | 'modelFallbacks'
    | 'modelCost'
    | 'refusals'
    | 'modelWaits'
    | 'modelWaitDuration'
    | 'toolDefinitionChanges'
    | 'scopedToolsetConflicts'
    | 'callsHeld'
  >;
  /** Of arguments whose check may take long. */
  slowChecks: SlowChecks;
  /** Compiled once for all that it checks. */
  schemas: InputSchemas;
  settings: OrchestratorSettings;
}
