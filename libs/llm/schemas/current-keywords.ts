import { isSchema, mapSubschemas, type JsonSchema } from './json-schema.js';

/**
 * The same schema (the catalogue bounds its depth) in the keywords of 2020-12, which providers read; older drafts have
 * other keywords for some things.
 */
export function toCurrentKeywords(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  const current = withoutDependencies(withoutTuples(withoutFlags(rest)));
  return mapSubschemas(current, toCurrentKeywords);
}

/** Draft 6 and 7: `items` as a list. */
function withoutTuples(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.items)) return schema;
  const { items, additionalItems, ...rest } = schema;
  return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Draft 4: `exclusiveMinimum: true` next to `minimum`. */
function withoutFlags(schema: JsonSchema): JsonSchema {
  let current = schema;
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof current[flag] !== 'boolean') continue;
    const { [flag]: isExclusive, [limit]: value, ...rest } = current;
    current = value === undefined ? rest : { ...rest, [isExclusive ? flag : limit]: value };
  }
  return current;
}

function withoutDependencies(schema: JsonSchema): JsonSchema {
  const { dependencies, ...rest } = schema;
  if (!isSchema(dependencies)) return schema;
  const entries = Object.entries(dependencies);
  const required = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  return {
    ...rest,
    ...(required.length > 0 && { dependentRequired: Object.fromEntries(required) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  };
}
