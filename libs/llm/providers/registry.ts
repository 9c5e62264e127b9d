import type { ProviderVariables } from '../port/provider-variables.js';
import { ANTHROPIC } from './anthropic.js';
import { GEMINI } from './gemini.js';
import { OLLAMA } from './ollama.js';
import { OPENAI } from './openai.js';
import type { Provider } from './provider.js';

/** A new provider is a file next to this one, a line here, and its form of tools in `schemas/tool-forms.ts`. */
const RECORDS = [ANTHROPIC, OPENAI, GEMINI, OLLAMA] as const satisfies readonly ProviderVariables[];

type Known = (typeof RECORDS)[number];

/** In the order in which people see them. */
export const PROVIDERS: readonly (Provider & { name: Known['name'] })[] = RECORDS;

/** Suggested wherever a person is told how to set a real model. */
export const SUGGESTED_MODEL = `${ANTHROPIC.name}/${ANTHROPIC.suggestedModel}`;

export const SUGGESTED_KEY = ANTHROPIC.keyVariable;

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
