import { toCurrentKeywords } from './current-keywords.js';
import { flattenTop, type Converted } from './flatten-top.js';
import { isSchema, mapSubschemas, type JsonSchema } from './json-schema.js';

const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** OpenAI's functions (not strict ones) take most of JSON Schema below an object with plain properties. */
export function toOpenAiSchema(schema: JsonSchema): Converted {
  const { schema: flat, losses } = flattenTop(toCurrentKeywords(schema), REFUSED_AT_TOP);
  const properties = isSchema(flat.properties) ? flat.properties : {};
  return { schema: withItems({ ...flat, properties }), losses };
}

/** A list that says nothing of its items is refused. */
function withItems(schema: JsonSchema): JsonSchema {
  const isList = [schema.type].flat().includes('array');
  const complete = isList && schema.items === undefined ? { ...schema, items: {} } : schema;
  return mapSubschemas(complete, withItems);
}
