import { findModelProblem, defaultModelName } from './model-setup.js';
import { providerOf } from './port/model-name.js';
import type { ModelEnvironment } from './provider-settings.js';
import { PROVIDERS } from './providers/registry.js';

/** The models to ask when the deployment names no model of the provider. */
const SUGGESTED = PROVIDERS.map(({ name, suggestedModel }) => `${name}/${suggestedModel}`);

/**
 * For each provider that the settings open, the model for requests that name only the provider: the first one of the
 * deployment's own and `further` models (`provider/model`) that belongs to the provider and is allowed.
 */
export function providerModels(
  env: ModelEnvironment,
  further: readonly string[] = [],
  isAllowed: (model: string) => boolean = () => true,
): { provider: string; model: string }[] {
  const named = [defaultModelName(env), ...further.filter((name) => name.includes('/'))];
  const models = new Map<string, string>();
  for (const model of [...named, ...SUGGESTED]) {
    const provider = providerOf(model);
    if (provider === 'demo' || models.has(provider) || !isAllowed(model) || findModelProblem(model, env))
      continue;
    models.set(provider, model);
  }
  return [...models].map(([provider, model]) => ({ provider, model }));
}
