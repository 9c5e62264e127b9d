import type { Clock } from '#time';
import { providerOf, withoutProvider } from './port/model-name.js';
import { ModelError, type Model, type ModelPart, type ModelRequest } from './port/model.port.js';
import { accessOf, findProviderProblem, type ModelEnvironment } from './provider-settings.js';
import { findProvider, PROVIDERS, SUGGESTED_KEY, SUGGESTED_MODEL } from './providers/registry.js';

export interface ModelOptions {
  clock: Clock;
  /** Answers requests for the model `demo`. */
  demo: Model;
  /**
   * Models to ask when another one is overloaded. They are checked at start, so that an unusable one does not show only
   * then.
   */
  fallbacks?: readonly string[];
}

/** The settings name no usable model. The message is one sentence for the person who starts the program. */
export class ModelSetupError extends Error {
  override name = 'ModelSetupError';
}

const SUPPORTED = `demo, ${PROVIDERS.map(({ name }) => `${name}/<model>`).join(', ')} (for example ${SUGGESTED_MODEL})`;

/** The deployment's model: `MODEL`, or `demo`. */
export function defaultModelName(env: ModelEnvironment): string {
  return env.MODEL?.trim() || 'demo';
}

/**
 * One model that serves every provider that the settings open, chosen by the prefix of `request.model`. A provider's
 * SDK is loaded at its first request, that of the deployment's own model at once.
 *
 * @throws ModelSetupError when the deployment's own model, or a fallback, cannot be used. If a turn asks for another
 * model that cannot be used, only that turn fails, with a `ModelError`.
 */
export function createModel(env: ModelEnvironment, options: ModelOptions): Model {
  const problem = findModelProblem(defaultModelName(env), env);
  if (problem) throw new ModelSetupError(problem);
  for (const name of options.fallbacks ?? []) {
    const unusable = findModelProblem(name, env);
    if (unusable) throw new ModelSetupError(`CONFIG names ${name} as a fallback. ${unusable}`);
  }
  const opened = new Map<string, Promise<Model>>();
  const open = (name: string): Promise<Model> => {
    const provider = providerOf(name);
    const model = opened.get(provider) ?? openProvider(provider, env, options);
    opened.set(provider, model);
    return model;
  };
  // The first request gets the error if this fails.
  open(defaultModelName(env)).catch(() => undefined);
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
      const reason = findModelProblem(request.model, env);
      if (reason) throw new ModelError(reason, 'invalid', { retryable: false });
      const model = await open(request.model);
      yield* model.stream(request, signal);
    },
  };
}

/** One line for the start banner; never a key. */
export function describeModel(env: ModelEnvironment): string {
  const name = defaultModelName(env);
  const provider = findProvider(providerOf(name));
  if (!provider) {
    const todo = env[SUGGESTED_KEY]?.trim() ? '' : ` and ${SUGGESTED_KEY}`;
    return `demo (scripted answers, no network; for a real model set MODEL=${SUGGESTED_MODEL}${todo})`;
  }
  const { baseUrl } = accessOf(provider, env);
  return baseUrl ? `${name} through ${new URL(baseUrl).host}` : name;
}

async function openProvider(name: string, env: ModelEnvironment, options: ModelOptions): Promise<Model> {
  const provider = findProvider(name);
  return provider ? provider.open(accessOf(provider, env), options.clock) : options.demo;
}

/** Why a model cannot be used, as one sentence, or undefined. */
export function findModelProblem(name: string, env: ModelEnvironment): string | undefined {
  if (name === 'demo') return undefined;
  const provider = findProvider(providerOf(name));
  if (!provider) return `MODEL names no known provider; supported are ${SUPPORTED}.`;
  if (!/^[\w.:@/-]+$/.test(withoutProvider(name)) || !name.includes('/')) {
    return `MODEL must name a model after the provider, for example ${SUGGESTED_MODEL}.`;
  }
  return findProviderProblem(provider, env);
}
