import { AnthropicModel } from './anthropic/anthropic-model.adapter.js';
import { DemoModel } from './demo/demo-model.js';
import { providerOf, SUGGESTED_MODEL, withoutProvider } from './model-name.js';
import { ModelError, type Model, type ModelPart, type ModelRequest } from './model.port.js';

/** The variables that choose and open a model; an empty one counts as not set. */
export interface ModelEnvironment {
  MODEL?: string;
  ANTHROPIC_API_KEY?: string;
  ANTHROPIC_BASE_URL?: string;
}

export interface ModelOptions {
  /** Pause before each word of the demo model; 0 in tests. */
  demoTokenDelayMs?: number;
}

/** The settings name no model that can be used. The message is one sentence for the person who starts the program. */
export class ModelSetupError extends Error {
  override name = 'ModelSetupError';
}

const SUPPORTED = `demo and anthropic/<model> (for example ${SUGGESTED_MODEL})`;
const LATER = ['openai', 'gemini', 'ollama'];

/** The deployment's model: `MODEL`, or `demo`. */
export function defaultModelName(env: ModelEnvironment): string {
  return env.MODEL?.trim() || 'demo';
}

/**
 * One model that serves every provider which the settings open, chosen by the prefix of `request.model`.
 *
 * @throws ModelSetupError when the deployment's own model cannot be used. A turn that asks for another one that
 * cannot be used fails alone, with a `ModelError`.
 */
export function createModel(env: ModelEnvironment, options: ModelOptions = {}): Model {
  const problem = findProblem(defaultModelName(env), env);
  if (problem) throw new ModelSetupError(problem);
  const opened = new Map<string, Model>();
  const open = (name: string): Model => {
    const reason = findProblem(name, env);
    if (reason) throw new ModelError(reason, 'invalid', { retryable: false });
    const provider = providerOf(name);
    const model = opened.get(provider) ?? openProvider(provider, env, options);
    opened.set(provider, model);
    return model;
  };
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
      yield* open(request.model).stream(request, signal);
    },
  };
}

/** One line for the start banner; never a key. */
export function describeModel(env: ModelEnvironment): string {
  const name = defaultModelName(env);
  if (providerOf(name) === 'demo') {
    const todo = apiKeyOf(env) ? '' : ' and ANTHROPIC_API_KEY';
    return `demo (scripted answers, no network; for a real model set MODEL=${SUGGESTED_MODEL}${todo})`;
  }
  const baseUrl = baseUrlOf(env);
  return baseUrl ? `${name} through ${new URL(baseUrl).host}` : name;
}

function openProvider(provider: string, env: ModelEnvironment, options: ModelOptions): Model {
  if (provider === 'demo') return new DemoModel(options.demoTokenDelayMs);
  const baseUrl = baseUrlOf(env);
  return new AnthropicModel({ apiKey: apiKeyOf(env)!, ...(baseUrl && { baseUrl }) });
}

/** Why a model cannot be used, as one sentence, or undefined. */
export function findProblem(name: string, env: ModelEnvironment): string | undefined {
  const provider = providerOf(name);
  if (name === 'demo') return undefined;
  if (LATER.includes(provider))
    return `The model provider ${provider} is not available yet; supported are ${SUPPORTED}.`;
  if (provider !== 'anthropic') return `MODEL names no known provider; supported are ${SUPPORTED}.`;
  if (!/^[\w.:@/-]+$/.test(withoutProvider(name)) || !name.includes('/')) {
    return `MODEL must name a model after the provider, for example ${SUGGESTED_MODEL}.`;
  }
  return findKeyProblem(env);
}

function findKeyProblem(env: ModelEnvironment): string | undefined {
  const key = apiKeyOf(env);
  if (!key)
    return 'ANTHROPIC_API_KEY is not set; set it to use an anthropic/ model, or set MODEL=demo to go without.';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'ANTHROPIC_API_KEY contains characters that a key cannot have.';
  const baseUrl = baseUrlOf(env);
  const isUsable =
    baseUrl === undefined || /^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '');
  return isUsable ? undefined : 'ANTHROPIC_BASE_URL is not an http or https URL.';
}

function apiKeyOf(env: ModelEnvironment): string | undefined {
  return env.ANTHROPIC_API_KEY?.trim() || undefined;
}

/** The SDK appends `/v1` itself. */
function baseUrlOf(env: ModelEnvironment): string | undefined {
  return env.ANTHROPIC_BASE_URL?.trim().replace(/\/+$/, '').replace(/\/v1$/, '') || undefined;
}
