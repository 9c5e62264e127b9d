import { providerOf } from './model-name.js';

export type Provider = 'anthropic' | 'openai' | 'gemini' | 'ollama';

/** The variables that choose and open a model; an empty one counts as not set. */
export interface ModelEnvironment {
  MODEL?: string;
  ANTHROPIC_API_KEY?: string;
  ANTHROPIC_BASE_URL?: string;
  OPENAI_API_KEY?: string;
  OPENAI_BASE_URL?: string;
  GEMINI_API_KEY?: string;
  GEMINI_BASE_URL?: string;
  OLLAMA_BASE_URL?: string;
}

export interface ProviderSettings {
  apiKey?: string;
  /** In the form that the provider's adapter takes. */
  baseUrl?: string;
}

interface Variables {
  key?: keyof ModelEnvironment;
  url: keyof ModelEnvironment;
  /** What of an address the adapter wants. */
  toBaseUrl(address: string): string;
}

const VARIABLES: Record<Provider, Variables> = {
  // The SDK appends the version itself.
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    url: 'ANTHROPIC_BASE_URL',
    toBaseUrl: (address) => address.replace(/\/v1$/, ''),
  },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', toBaseUrl: withVersion },
  gemini: { key: 'GEMINI_API_KEY', url: 'GEMINI_BASE_URL', toBaseUrl: (address) => address },
  ollama: { url: 'OLLAMA_BASE_URL', toBaseUrl: withVersion },
};

export const PROVIDERS = Object.keys(VARIABLES) as readonly Provider[];

export function isProvider(name: string): name is Provider {
  return Object.hasOwn(VARIABLES, name);
}

/** The providers whose models can be used, in the order of this list: Anthropic, OpenAI, Gemini, Ollama. */
export function availableProviders(env: ModelEnvironment): Provider[] {
  return PROVIDERS.filter((provider) => findProviderProblem(provider, env) === undefined);
}

export function settingsOf(provider: Provider, env: ModelEnvironment): ProviderSettings {
  const { key, url, toBaseUrl } = VARIABLES[provider];
  const apiKey = key && valueOf(env, key);
  const address = valueOf(env, url)?.replace(/\/+$/, '');
  return { ...(apiKey && { apiKey }), ...(address && { baseUrl: toBaseUrl(address) }) };
}

/** Why no model of the provider can be used, as one sentence, or undefined. */
export function findProviderProblem(provider: Provider, env: ModelEnvironment): string | undefined {
  const { key, url } = VARIABLES[provider];
  const { apiKey, baseUrl } = settingsOf(provider, env);
  if (baseUrl !== undefined && !isWebAddress(baseUrl)) return `${url} is not an http or https URL.`;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    return `${key} contains characters that a key cannot have.`;
  // A server of one's own needs no key, but an address, or to be the deployment's model.
  const isOwnServer = provider === 'openai' && baseUrl !== undefined;
  if (key) return apiKey || isOwnServer ? undefined : missing(key, provider);
  const isChosen = providerOf(env.MODEL?.trim() ?? '') === provider;
  return baseUrl || isChosen ? undefined : missing(url, provider);
}

function missing(variable: string, provider: Provider): string {
  return `${variable} is not set; set it to use ${provider === 'gemini' ? 'a' : 'an'} ${provider}/ model, or choose another model.`;
}

function valueOf(env: ModelEnvironment, name: keyof ModelEnvironment): string | undefined {
  return env[name]?.trim() || undefined;
}

/** An address without a path means the usual one. */
function withVersion(address: string): string {
  return /^[a-z]+:\/\/[^/]*$/i.test(address) ? `${address}/v1` : address;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
