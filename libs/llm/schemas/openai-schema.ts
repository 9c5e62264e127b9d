import { toCurrentKeywords } from './current-keywords.js';
import { flattenTop, type Converted } from './flatten-top.js';
import { mapSubschemas, type JsonSchema } from './json-schema.js';
import { propertiesOf } from './schema-types.js';

const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** OpenAI's functions (not strict ones) accept most of JSON Schema below an object with plain properties. */
export function toOpenAiSchema(schema: JsonSchema): Converted {
  const { schema: flat, losses } = flattenTop(toCurrentKeywords(schema), REFUSED_AT_TOP);
  return { schema: withItems({ ...flat, properties: propertiesOf(flat) }), losses };
}

/** The API refuses a list without a schema of its items. */
function withItems(schema: JsonSchema): JsonSchema {
  const isList = [schema.type].flat().includes('array');
  const complete = isList && schema.items === undefined ? { ...schema, items: {} } : schema;
  return mapSubschemas(complete, withItems);
}
