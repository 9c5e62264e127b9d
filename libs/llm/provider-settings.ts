import { providerOf } from './port/model-name.js';
import type { ProviderVariable } from './port/provider-variables.js';
import type { Provider, ProviderAccess } from './providers/provider.js';
import { PROVIDERS } from './providers/registry.js';

/** The variables that choose and open a model; an empty one counts as not set. */
export type ModelEnvironment = { [name in 'MODEL' | ProviderVariable]?: string | undefined };

/** The names of providers whose models can be used, in the order of the registry. */
export function availableProviders(env: ModelEnvironment): string[] {
  return PROVIDERS.filter((provider) => findProviderProblem(provider, env) === undefined).map(
    ({ name }) => name,
  );
}

export function accessOf(
  { keyVariable, urlVariable, toBaseUrl }: Provider,
  env: ModelEnvironment,
): ProviderAccess {
  const apiKey = valueOf(env, keyVariable);
  const address = valueOf(env, urlVariable)?.replace(/\/+$/, '');
  return { ...(apiKey && { apiKey }), ...(address && { baseUrl: toBaseUrl(address) }) };
}

/** Why no model of the provider can be used, as one sentence, or undefined. */
export function findProviderProblem(provider: Provider, env: ModelEnvironment): string | undefined {
  const { name, keyVariable, urlVariable } = provider;
  const { apiKey, baseUrl } = accessOf(provider, env);
  if (baseUrl !== undefined && !isWebAddress(baseUrl)) return `${urlVariable} is not an http or https URL.`;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    return `${keyVariable} contains characters that a key cannot have.`;
  const isOwnServer = provider.isOpenElsewhere && baseUrl !== undefined;
  if (keyVariable) return apiKey || isOwnServer ? undefined : missing(keyVariable, name);
  // A private server needs no key, but an address, or to be the deployment's model.
  const isChosen = providerOf(env.MODEL?.trim() ?? '') === name;
  return baseUrl || isChosen ? undefined : missing(urlVariable, name);
}

function missing(variable: string, provider: string): string {
  const article = /^[aeiou]/.test(provider) ? 'an' : 'a';
  return `${variable} is not set; set it to use ${article} ${provider}/ model, or choose another model.`;
}

function valueOf(env: Record<string, string | undefined>, name: string | undefined): string | undefined {
  return (name && env[name]?.trim()) || undefined;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
