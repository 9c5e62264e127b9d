import { isObject, isWithinDepth } from '#contracts';

/*
 * Schemas of third parties are hostile. They are bounded in size, depth and references, reduced to known keywords (so
 * no `$id` that another schema could refer to, no `$data`, no extension of the validator), and refer only to
 * themselves.
 */

/** UTF-16 units of JSON. */
const MAX_SCHEMA_LENGTH = 64 * 1024;
/** In levels; a catalogue message around them stays within the bus's 32. */
const MAX_SCHEMA_DEPTH = 24;
const MAX_REFERENCES = 256;

/** How to read the values of a keyword. */
const SCHEMA_KEYWORDS = new Set([
  ...['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames'],
  ...['then', 'unevaluatedItems', 'unevaluatedProperties'],
]);
const SCHEMA_LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_MAP_KEYWORDS = new Set([
  ...['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'],
]);
const VALUE_KEYWORDS = new Set([
  ...['$anchor', '$dynamicAnchor', '$dynamicRef', '$ref', 'const', 'dependentRequired', 'enum', 'format'],
  ...[
    'exclusiveMaximum',
    'exclusiveMinimum',
    'maxContains',
    'maxItems',
    'maxLength',
    'maxProperties',
    'maximum',
  ],
  ...[
    'minContains',
    'minItems',
    'minLength',
    'minProperties',
    'minimum',
    'multipleOf',
    'pattern',
    'required',
  ],
  ...['type', 'uniqueItems'],
]);

/** Thrown with one sentence that says what is wrong with the schema. */
export class UnusableSchemaError extends Error {
  override name = 'UnusableSchemaError';
}

/** A copy that is safe to compile, or {@link UnusableSchemaError}. */
export function reduceSchema(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) throw new UnusableSchemaError('The input schema is not an object.');
  if (!isWithinDepth(schema, MAX_SCHEMA_DEPTH)) {
    throw new UnusableSchemaError(`The input schema nests more than ${MAX_SCHEMA_DEPTH} levels.`);
  }
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) {
    throw new UnusableSchemaError(`The input schema is longer than ${MAX_SCHEMA_LENGTH} characters.`);
  }
  const counter = { references: 0 };
  return reduceObject(schema, counter);
}

interface Counter {
  references: number;
}

function reduce(schema: unknown, counter: Counter): unknown {
  if (typeof schema === 'boolean') return schema;
  if (Array.isArray(schema)) return schema.map((item) => reduce(item, counter));
  if (!isObject(schema)) throw new UnusableSchemaError('The input schema has a part that is not a schema.');
  return reduceObject(schema, counter);
}

function reduceObject(schema: Record<string, unknown>, counter: Counter): Record<string, unknown> {
  const reduced: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_KEYWORDS.has(keyword) || SCHEMA_LIST_KEYWORDS.has(keyword)) {
      reduced[keyword] = reduce(value, counter);
    } else if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      reduced[keyword] = reduceMap(value, counter);
    } else if (VALUE_KEYWORDS.has(keyword)) {
      if (keyword === '$ref' || keyword === '$dynamicRef') checkReference(value, counter);
      reduced[keyword] = value;
    }
  }
  return reduced;
}

function reduceMap(map: unknown, counter: Counter): Record<string, unknown> {
  if (!isObject(map)) throw new UnusableSchemaError('The input schema has a part that is not an object.');
  // Own entries only: `__proto__` as a property name must stay data.
  const entries = Object.entries(map).map(([name, value]) => {
    // `dependencies` of draft 7 may hold lists of names.
    const isNames = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return [name, isNames ? value : reduce(value, counter)] as const;
  });
  return Object.fromEntries(entries);
}

function checkReference(reference: unknown, counter: Counter): void {
  if (typeof reference !== 'string' || !reference.startsWith('#')) {
    throw new UnusableSchemaError('The input schema refers to another document.');
  }
  if (++counter.references > MAX_REFERENCES) {
    throw new UnusableSchemaError(`The input schema has more than ${MAX_REFERENCES} references.`);
  }
}
