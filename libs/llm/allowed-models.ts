import { providerModels } from './provider-models.js';
import { defaultModelName } from './model-setup.js';
import type { ModelEnvironment } from './provider-settings.js';

/** A refusal that lists more models than this helps no one. */
const MAX_LISTED = 30;

export interface ModelChoice {
  /** `models.allow` of the settings: names, and patterns with `*`. */
  allow?: readonly string[];
  /** The names in the settings, fallbacks included: models, and providers, which allow nothing. */
  listed?: readonly string[];
}

/**
 * The models that a client may name: the deployment's own model, and those in `allow`. Without `allow`: those in the
 * settings and, for each configured provider, the model that a request naming only the provider gets.
 */
export function allowedModels(env: ModelEnvironment, { allow, listed = [] }: ModelChoice): string[] {
  const named = listed.filter((name) => name.includes('/') || name === 'demo');
  const suggested = providerModels(env, named).map(({ model }) => model);
  return [...new Set([defaultModelName(env), ...(allow ?? [...named, ...suggested])])];
}

/** Whether one of the names or patterns is this model. */
export function isModelAllowed(allowed: readonly string[], model: string): boolean {
  return allowed.some((pattern) => matches(pattern, model));
}

/** The sentence for a model that is not allowed; undefined if it is. */
export function findModelRefusal(allowed: readonly string[], model: string): string | undefined {
  if (isModelAllowed(allowed, model)) return undefined;
  const listed = allowed.slice(0, MAX_LISTED).join(', ');
  const more = allowed.length > MAX_LISTED ? ` and ${allowed.length - MAX_LISTED} more` : '';
  return `The model '${model.slice(0, 200)}' is not allowed here. Use one of these: ${listed}${more}.`;
}

/** `*` matches any characters. This is no regular expression, whose time would depend on a client's text. */
function matches(pattern: string, model: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return pattern === model;
  if (!model.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return model.length - last.length >= at && model.endsWith(last);
}
