import { z } from 'zod';
import type { Budgets } from '#turn';
import type { WorkerGroup } from '#messaging';
import { groupsSchema } from './settings/worker-groups.js';
import { gatewayLimitsSchema, toGatewayLimits, type GatewayLimits } from './settings/gateway-limits.js';
import { toModelUse, type ModelUse } from './settings/model-use.js';
import {
  modelsSchema,
  toModelBudgets,
  toModelPrices,
  type ModelBudget,
  type ModelPrice,
} from './settings/model-budgets.js';
import { toolSettingsShape, toToolPolicy, type ToolPolicy } from './settings/tool-settings.js';
import { toUsageSettings, usageSettingsSchema, type UsageSettings } from './settings/usage-settings.js';
import { toBudgets, turnSettingsShape } from './settings/turn-settings.js';

/*
 * The file that `CONFIG` names (`./switchyard.json`). Strict: an unknown key is refused by name, because a silently
 * ignored setting is worse than none.
 */

export const settingsFileSchema = z.strictObject({
  ...turnSettingsShape,
  ...toolSettingsShape,
  limits: gatewayLimitsSchema,
  models: modelsSchema,
  usage: usageSettingsSchema,
  groups: groupsSchema,
  /** How long a draining process may finish its unfinished work. */
  drain: z.strictObject({ grace_ms: z.int().min(0).max(600_000).default(10_000) }).prefault({}),
});

export interface Settings extends ToolPolicy {
  budgets: Budgets;
  limits: GatewayLimits;
  /** Models that clients may name, also as patterns with `*`; absent: those that the deployment names or suggests. */
  allowedModels?: readonly string[];
  /** By provider (`anthropic`) or model (`anthropic/claude-…`). */
  modelBudgets: ReadonlyMap<string, ModelBudget>;
  /** By provider or model. */
  modelUse: ReadonlyMap<string, ModelUse>;
  /** By provider or model; models without a price are not counted. */
  modelPrices: ReadonlyMap<string, ModelPrice>;
  usage: UsageSettings;
  /** Groups of workers without the store. */
  groups: WorkerGroup[];
  /** How long a person has to answer a tool's question. */
  questionMs: number;
  drainGraceMs: number;
}

export function toSettings(file: z.infer<typeof settingsFileSchema>): Settings {
  return {
    ...toToolPolicy(file),
    budgets: toBudgets(file),
    limits: toGatewayLimits(file.limits),
    allowedModels: file.models.allow,
    modelBudgets: toModelBudgets(file.models.models),
    modelUse: toModelUse(file.models.models),
    modelPrices: toModelPrices(file.models.models),
    usage: toUsageSettings(file.usage),
    groups: file.groups,
    questionMs: Math.round(file.deadlines.question_minutes * 60_000),
    drainGraceMs: file.drain.grace_ms,
  };
}
