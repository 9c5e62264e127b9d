import type { ApprovalMode } from '#bootstrap';
import type { CatalogTool } from '#contracts';
import type { Log, Peers } from '#journal';
import type { Model } from '#llm';
import type { Bus } from '#messaging';
import type { Metrics } from '#observability';
import type { Store } from '#store';
import type { Budgets } from '#turn';

export interface OrchestratorSettings {
  /** `provider/model` of turns that do not choose one. */
  model: string;
  systemPrompt: string;
  budgets: Budgets;
  maxOutputTokens: number;
  /** Turns held at once: the prefetch of `turns`. */
  turnsAtOnce: number;
  /** Conversations that nobody has changed for so long are deleted; absent: they are kept. */
  retentionDays?: number;
  /** Toolsets (`math`) and tools (`math.add`) that the deployment configures: who offers none of them is told. */
  configuredTools?: readonly string[];
  /** Whether calls of this tool wait for a person; `first`: until one has been approved in the conversation. */
  approvalOf(tool: CatalogTool): ApprovalMode;
}

export interface OrchestratorDeps {
  store: Store;
  bus: Bus;
  processId: string;
  peers: Peers & {
    /** Processes whose beat stood still for so long. */
    listUnchangedFor?(durationMs: number): string[];
    /** Whether a listing that begins now lacks its row. */
    isGone?(processId: string): Promise<boolean>;
  };
  model: Model;
  log: Log;
  metrics: Pick<
    Metrics,
    'turnsStarted' | 'turnsEnded' | 'modelCalls' | 'modelRetries' | 'scopedToolsetConflicts'
  >;
  settings: OrchestratorSettings;
}
