export type {
  ClientConfig,
  ConnectionConfig,
  GroupWorkerConfig,
  OwnToolConfig,
  StandaloneConfig,
  ToolConfig,
  TurnConfig,
} from './config/app-config.js';
export { type AuthSettings, type RegistrationSetting } from './config/auth-settings.js';
export { ConfigError } from './config/config-error.js';
export {
  type Environment,
  loadGatewayConfig,
  loadGroupWorkerConfig,
  loadOrchestratorConfig,
  loadStandaloneConfig,
  loadStoreAddress,
  loadToolWorkerConfig,
  loadWorkerGroups,
} from './config/load.config.js';
export type { Settings } from './config/settings-file.js';
export type { GatewayLimits } from './config/settings/gateway-limits.js';
export { useOfModel, type ModelUse } from './config/settings/model-use.js';
export type { ModelBudget, ModelPrice } from './config/settings/model-budgets.js';
export type { UsageSettings } from './config/settings/usage-settings.js';
export {
  approvalOfTool,
  approverRoles,
  namedRoles,
  settingsOfTool,
  type ApprovalMode,
  type CallRate,
} from './config/settings/tool-settings.js';
export { makeEarlierTurnsDue } from './make-earlier-turns-due.js';
export { DEFAULT_DRAIN_GRACE_MS, Drain } from './drain.js';
export { runMain } from './start.js';
export { type BusIdentity, Member, type MemberOptions } from './member.js';
export { LedgerMember } from './ledger-member.js';
export { countingBuses, reportBuses } from './observe-bus.js';
export { observeStore } from './observe-store.js';
export { startOpsServer } from './ops-server.js';
export { Service } from './service.js';
