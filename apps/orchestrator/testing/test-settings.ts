import { DEFAULT_BUDGETS } from '#turn';
import type { OrchestratorSettings } from '../deps/orchestrator.deps.js';

/** Settings without limits, with every model and tool allowed, except for the subject of a test. */
export function testSettings(change: Partial<OrchestratorSettings> = {}): OrchestratorSettings {
  return {
    model: 'test/model',
    providers: [],
    allowedModels: ['*'],
    systemPrompt: '',
    budgets: DEFAULT_BUDGETS,
    modelBudgets: new Map(),
    modelUse: new Map(),
    modelPrices: new Map(),
    usage: { budget: {}, keepDays: 400 },
    offer: {},
    maxOutputTokens: 1_000,
    turnsAtOnce: 50,
    retentionDays: undefined,
    deadLetterDays: 30,
    configuredTools: [],
    approvalOf: () => 'never',
    approversOf: () => undefined,
    rolesFor: () => undefined,
    fairShare: 1,
    quarantine: false,
    groups: [],
    fairShareOf: () => 1,
    outputBytesOf: () => undefined,
    identicalCallsOf: () => undefined,
    ...change,
  };
}
