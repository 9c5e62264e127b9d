import { isObject } from '#contracts';

/** Keywords that say nothing about which values fit. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['$schema', '$id', 'contentMediaType', 'contentEncoding'],
]);
/** Keywords whose values are schemas, by a name that may be any word. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const SINGLE = new Set([
  ...['items', 'additionalItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
]);
const LISTED = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** What is deeper stays as it is. */
const MAX_DEPTH = 64;

/** A copy of a JSON Schema of the parts that decide which values fit. What is no schema stays what it is. */
export function withoutAnnotations(schema: unknown, depth = 0): unknown {
  if (Array.isArray(schema) && depth <= MAX_DEPTH)
    return schema.map((one: unknown) => withoutAnnotations(one, depth + 1));
  if (!isObject(schema) || depth > MAX_DEPTH) return schema;
  const said = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  return Object.fromEntries(said.map(([keyword, value]) => [keyword, strip(keyword, value, depth + 1)]));
}

function strip(keyword: string, value: unknown, depth: number): unknown {
  if (SINGLE.has(keyword) || LISTED.has(keyword)) return withoutAnnotations(value, depth);
  if (!NAMED.has(keyword) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, withoutAnnotations(schema, depth)]),
  );
}
