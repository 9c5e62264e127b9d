import type { Converted } from './flatten-top.js';
import type { JsonSchema } from './json-schema.js';
import { SubsetConverter, type Subset } from './subset-converter.js';

/** The published `Schema` of function declarations: a part of OpenAPI 3.0. */
const GEMINI: Subset = {
  keywords: [
    ...['title', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
    ...['minProperties', 'maxProperties'],
  ],
  takesEnum: (values) => values.every((value) => typeof value === 'string' && value !== ''),
  takesFormat: (format) => ['date-time', 'int32', 'int64', 'float', 'double'].includes(String(format)),
  hasNullFlag: true,
};

export function toGeminiSchema(schema: JsonSchema): Converted {
  return new SubsetConverter(schema, GEMINI).convert();
}
