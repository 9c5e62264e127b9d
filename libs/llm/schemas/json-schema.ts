import { isObject } from '#contracts';

export type JsonSchema = Record<string, unknown>;

/** Something that a provider's form of a schema cannot express; where possible, its description says it instead. */
export interface SchemaLoss {
  /** JSON pointer to the schema that contains it; empty at the top. */
  path: string;
  keyword: string;
}

/** Keywords whose values are schemas: by name, in a list, or one. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = [
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const MAX_NOTE_LENGTH = 1_500;

export function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

/** A copy with the subschemas one level down replaced by `convert`; booleans stay. */
export function mapSubschemas(
  schema: JsonSchema,
  convert: (subschema: JsonSchema, path: string) => JsonSchema,
): JsonSchema {
  const each = (value: unknown, path: string) => (isSchema(value) ? convert(value, path) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (SINGLE.includes(key)) return [key, each(value, `/${key}`)];
      if (LISTS.includes(key) && Array.isArray(value))
        return [key, value.map((item, index) => each(item, `/${key}/${index}`))];
      if (!BY_NAME.includes(key) || !isSchema(value)) return [key, value];
      const converted = Object.entries(value).map(([name, item]) => [name, each(item, `/${key}/${name}`)]);
      return [key, Object.fromEntries(converted)];
    }),
  );
}

/** The schema with a note at the end of its description; an existing note is not repeated. */
export function withNote(schema: JsonSchema, note: string): JsonSchema {
  const description = typeof schema.description === 'string' ? schema.description : '';
  const cut = note.length > MAX_NOTE_LENGTH ? `${note.slice(0, MAX_NOTE_LENGTH)}…` : note;
  if (note === '' || description.includes(cut)) return schema;
  return { ...schema, description: description === '' ? cut : `${description}\n${cut}` };
}

/** The schema without keywords that only explain. */
export function withoutAnnotations(schema: JsonSchema): JsonSchema {
  const { description: _, title: __, examples: ___, default: ____, $comment: _____, ...rest } = schema;
  return mapSubschemas(rest, withoutAnnotations);
}

export function isEqual(a: unknown, b: unknown): boolean {
  return toCanonicalJson(a) === toCanonicalJson(b);
}

/** JSON with the keys of objects in order. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isSchema(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}

export function uniqueSchemas(schemas: JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [toCanonicalJson(schema), schema])).values()];
}

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
