import type { ApprovalMode, ModelBudget, ModelPrice, ModelUse, UsageSettings } from '#bootstrap';
import type { CatalogTool, Role, ToolChoice } from '#contracts';
import type { FaultPoint } from '#faults';
import type { AuditTrail, JournalMetrics, KnownSwitches, Log, Peers } from '#journal';
import type { Model } from '#llm';
import type { Bus, WorkerGroup } from '#messaging';
import type { Metrics } from '#observability';
import type { Store } from '#store';
import type { Budgets } from '#turn';
import type { Time } from '#time';
import type { InputSchemas, SlowChecks } from '#tools';

export interface OrchestratorSettings {
  /** The `provider/model` of turns that choose none. */
  model: string;
  /** For each configured provider, the model to ask when only the provider is named. */
  providers: readonly { provider: string; model: string }[];
  /** The models that a message or conversation may name; `*` is allowed. */
  allowedModels: readonly string[];
  systemPrompt: string;
  budgets: Budgets;
  /** By provider or model: the budget that all orchestrators share. */
  modelBudgets: ReadonlyMap<string, ModelBudget>;
  /** By provider or model: its context window and its fallbacks. */
  modelUse: ReadonlyMap<string, ModelUse>;
  /** By provider or model: the price of a million tokens. */
  modelPrices: ReadonlyMap<string, ModelPrice>;
  usage: UsageSettings;
  /** The tools that the deployment allows. */
  offer: ToolChoice;
  maxOutputTokens: number;
  /** Turns held at once: the prefetch of `turns`. */
  turnsAtOnce: number;
  /** Conversations that are unchanged for this long are deleted. Undefined: they are kept. */
  retentionDays: number | undefined;
  /** Older dead letters are removed. */
  deadLetterDays: number;
  /**
   * Toolsets (`math`) and tools (`math.add`) that the deployment configures. Those that no worker offers are logged.
   */
  configuredTools: readonly string[];
  /**
   * Whether calls of this tool wait for a person, when a user with these roles asks; `first`: until one has been approved
   * in the conversation.
   */
  approvalOf(tool: CatalogTool, roles: readonly string[]): ApprovalMode;
  /** Roles of those who approve its calls in place of the turn's user; undefined: the user does. */
  approversOf(toolName: string): readonly string[] | undefined;
  /** One of these roles is required to use the tool; undefined: none is. */
  rolesFor(toolName: string): readonly string[] | undefined;
  /** The part of the turns that one user may have while turns wait; 1: all of them. */
  fairShare: number;
  /** Whether a breaking change of a tool without a new major version blocks it until an operator accepts it. */
  quarantine: boolean;
  /** Groups of workers without the store. */
  groups: readonly WorkerGroup[];
  /** The part of a toolset's places that one user may have while calls wait; 1: all of them. */
  fairShareOf(toolset: string): number;
  /** Bytes of the text of a tool's result; undefined: 32 KiB. */
  outputBytesOf(toolName: string): number | undefined;
  /** The limit of a tool that has its own instead of `budgets.identicalCalls`; otherwise undefined. */
  identicalCallsOf(tool: CatalogTool): number | undefined;
}

export interface OrchestratorDeps extends Time {
  faultPoint: FaultPoint;
  store: Store;
  bus: Bus;
  processId: string;
  peers: Peers & {
    /** Whether the process is known to be dead, by its heartbeat and by probes. */
    isLost(processId: string): Promise<boolean>;
    /** The processes whose heartbeat has not changed for this long. */
    listUnchangedFor(durationMs: number): string[];
    /** Whether its row is missing from a listing that begins now. */
    isGone(processId: string): Promise<boolean>;
    /** The processes of a role that are alive as far as is known. */
    countLiving(role: Role): number;
  };
  switches: KnownSwitches;
  model: Model;
  log: Log;
  /** Writes one record for each call that is settled here. */
  auditLog: Pick<Log, 'info'>;
  auditTrail?: Pick<AuditTrail, 'keep'>;
  metrics: JournalMetrics &
    Pick<
      Metrics,
      | 'turnsStarted'
      | 'turnFirstToken'
      | 'turnsDriven'
      | 'oldestWaitingCall'
      | 'stepDuration'
      | 'modelCalls'
      | 'modelFirstToken'
      | 'modelTokens'
      | 'modelRetries'
      | 'modelSteps'
      | 'modelFallbacks'
      | 'modelCost'
      | 'refusals'
      | 'modelWaiting'
      | 'modelWaits'
      | 'modelWaitDuration'
      | 'toolDefinitionChanges'
      | 'toolBreakingChanges'
      | 'scopedToolsetConflicts'
      | 'callsHeld'
      | 'ledgerRequests'
      | 'ledgerDrops'
    >;
  /** Checks arguments whose check may take long. */
  slowChecks: SlowChecks;
  /** Compiles each schema once. */
  schemas: InputSchemas;
  settings: OrchestratorSettings;
}
