import { isSchema, type JsonSchema } from './json-schema.js';

/** Keywords that apply to one type only. */
const KEYWORDS_OF_TYPE: Record<string, readonly string[]> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
  ],
  object: [
    ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
    ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
  ],
};

/** The types that a schema names, or that follow from its other keywords; none when it has no such keywords. */
export function typesOf(schema: JsonSchema): string[] {
  if (schema.type !== undefined) return [schema.type].flat().filter((type) => typeof type === 'string');
  if ('const' in schema) return [typeOfValue(schema.const)];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(typeOfValue))];
  const [implied] =
    Object.entries(KEYWORDS_OF_TYPE).find(([, keywords]) => keywords.some((keyword) => keyword in schema)) ??
    [];
  return implied === undefined ? [] : [implied];
}

export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Whether a value is valid where a schema names this type. */
export function isOfType(value: unknown, type: string): boolean {
  const own = typeOfValue(value);
  return own === type || (own === 'integer' && type === 'number');
}

/** The schema with this type, without keywords of other types. */
export function narrowTo(schema: JsonSchema, type: string): JsonSchema {
  const family = type === 'integer' ? 'number' : type;
  const foreign = Object.entries(KEYWORDS_OF_TYPE).flatMap(([name, keywords]) =>
    // A number may have a format too.
    name === family ? [] : keywords.filter((keyword) => keyword !== 'format' || family !== 'number'),
  );
  const kept = Object.entries(schema).filter(([key]) => !foreign.includes(key));
  return { ...Object.fromEntries(kept), type };
}

export function propertiesOf({ properties }: JsonSchema): JsonSchema {
  return isSchema(properties) ? properties : {};
}
