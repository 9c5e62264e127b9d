import type { Settings, TurnConfig } from '#bootstrap';
import { approvalOfTool, settingsOfTool } from '#bootstrap';
import { providerModels, type ModelEnvironment } from '#llm';
import type { OrchestratorSettings } from './orchestrator.deps.js';

const MAX_OUTPUT_TOKENS = 16_000;

export function toOrchestratorSettings(config: TurnConfig & Settings): OrchestratorSettings {
  return {
    model: config.model,
    providers: providerModels(toModelEnvironment(config), [...config.modelUse.keys()]),
    systemPrompt: config.systemPrompt,
    budgets: config.budgets,
    modelBudgets: config.modelBudgets,
    modelUse: config.modelUse,
    offer: config.offer,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    turnsAtOnce: config.turnsPerOrchestrator,
    retentionDays: config.retentionDays,
    configuredTools: [...config.tools.keys()],
    approvalOf: (tool) => approvalOfTool(config, tool),
    identicalCallsOf: (tool) => settingsOfTool(config.tools, tool.name).identicalCalls,
  };
}

export function toModelEnvironment({ model, anthropic }: TurnConfig): ModelEnvironment {
  return { MODEL: model, ANTHROPIC_API_KEY: anthropic.apiKey, ANTHROPIC_BASE_URL: anthropic.baseUrl };
}
