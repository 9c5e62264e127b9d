import type { Settings, TurnConfig } from '#bootstrap';
import { approvalOfTool, settingsOfTool } from '#bootstrap';
import { allowedModels, isModelAllowed, providerModels } from '#llm';
import type { OrchestratorSettings } from './deps/orchestrator.deps.js';

const MAX_OUTPUT_TOKENS = 16_000;

export function toOrchestratorSettings(config: TurnConfig & Settings): OrchestratorSettings {
  const env = config.modelEnvironment;
  const listed = [...config.modelUse.keys()];
  const allow = config.allowedModels;
  const allowed = allowedModels(env, { allow, listed: [...listed, ...fallbacksOf(config)] });
  // If the suggested model of a provider is not allowed, its first allowed model is used.
  const named = [...listed, ...(allow ?? []).filter((name) => !name.includes('*'))];
  return {
    model: config.model,
    providers: providerModels(env, named, (model) => isModelAllowed(allowed, model)),
    allowedModels: allowed,
    systemPrompt: config.systemPrompt,
    budgets: config.budgets,
    modelBudgets: config.modelBudgets,
    modelUse: config.modelUse,
    modelPrices: config.modelPrices,
    usage: config.usage,
    offer: config.offer,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    turnsAtOnce: config.turnsPerOrchestrator,
    retentionDays: config.retentionDays,
    deadLetterDays: config.deadLetterDays,
    configuredTools: [...config.tools.keys()],
    approvalOf: (tool, roles) => approvalOfTool(config, tool, roles),
    approversOf: (toolName) => settingsOfTool(config.tools, toolName).approvers,
    rolesFor: (toolName) => settingsOfTool(config.tools, toolName).roles,
    fairShare: config.fairShare,
    quarantine: config.quarantine,
    groups: config.groups,
    fairShareOf: (toolset) => config.tools.get(toolset)?.fairShare ?? config.fairShare,
    outputBytesOf: (toolName) => settingsOfTool(config.tools, toolName).outputBytes,
    identicalCallsOf: (tool) => settingsOfTool(config.tools, tool.name).identicalCalls,
  };
}

export function fallbacksOf({ modelUse }: Pick<Settings, 'modelUse'>): string[] {
  return [...modelUse.values()].flatMap(({ fallback }) => fallback ?? []);
}
