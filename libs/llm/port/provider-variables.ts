/*
 * The variables of all providers, apart from their records: a process that only has to know these names must not load
 * the providers' code. The registry's type and spec hold both together.
 */

export const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] as const;
export const URL_VARIABLES = [
  'ANTHROPIC_BASE_URL',
  'OPENAI_BASE_URL',
  'GEMINI_BASE_URL',
  'OLLAMA_BASE_URL',
] as const;

type KeyVariable = (typeof KEY_VARIABLES)[number];
type UrlVariable = (typeof URL_VARIABLES)[number];

/** The names of all providers' keys and addresses. */
export type ProviderVariable = KeyVariable | UrlVariable;

/** What a record names of them. */
export interface ProviderVariables {
  keyVariable?: KeyVariable;
  urlVariable: UrlVariable;
}
