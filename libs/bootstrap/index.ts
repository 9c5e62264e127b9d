export type { ClientConfig, StandaloneConfig, ToolConfig, TurnConfig } from './config/app-config.js';
export { type AuthSettings, type RegistrationSetting } from './config/auth-settings.js';
export { ConfigError } from './config/config-error.js';
export * from './config/load.config.js';
export type { Settings } from './config/settings-file.js';
export type { GatewayLimits } from './config/settings/gateway-limits.js';
export { useOfModel, type ModelUse } from './config/settings/model-use.js';
export type { ModelBudget, ModelPrice } from './config/settings/model-budgets.js';
export type { UsageSettings } from './config/settings/usage-settings.js';
export {
  approvalOfTool,
  settingsOfTool,
  type ApprovalMode,
  type CallRate,
} from './config/settings/tool-settings.js';
export * from './process-identity.js';
export * from './liveness-rules.js';
export * from './heartbeat.js';
export * from './peers.js';
export * from './alone.js';
export * from './drain.js';
export * from './start.js';
export * from './member.js';
export * from './health-server.js';
export * from './service.js';
