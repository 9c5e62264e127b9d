import type { Converted } from './flatten-top.js';
import type { JsonSchema } from './json-schema.js';
import { SubsetConverter, type Subset } from './subset-converter.js';

/** The part of a schema that Ollama reads; it silently ignores the rest, so the model would never see it. */
const OLLAMA: Subset = {
  keywords: [],
  takesEnum: () => true,
  takesFormat: () => false,
  hasNullFlag: false,
};

export function toOllamaSchema(schema: JsonSchema): Converted {
  return new SubsetConverter(schema, OLLAMA).convert();
}
