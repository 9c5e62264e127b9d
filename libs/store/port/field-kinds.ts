import type { z } from 'zod';
import { writtenTextSchema } from '#contracts';
import { COLLECTION_NAMES, COLLECTIONS, type CollectionName, type Field } from './collections.js';

/**
 * How a store keeps a field for which it has no type. `json`: as JSON text, for anything that people, models and tools
 * write. Its keys never become field names, and text that is not valid UTF-8 (a lone surrogate) comes back unchanged.
 */
export type FieldKind = 'text' | 'number' | 'json';

type FieldKinds = { [Name in CollectionName]: Record<Exclude<Field<Name>, '_id'>, FieldKind> };

/** The kind of every field except `_id`, derived from the schema of its row. */
export const FIELD_KINDS = Object.fromEntries(
  COLLECTION_NAMES.map((name) => [name, kindsOf(COLLECTIONS[name].schema.shape)]),
) as FieldKinds;

function kindsOf({ _id, ...fields }: Record<string, z.ZodType>): Record<string, FieldKind> {
  return Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, kindOf(schema)]));
}

function kindOf(schema: z.ZodType): FieldKind {
  const { type } = schema.def;
  if (type === 'optional' || type === 'nullable')
    return kindOf((schema as z.ZodOptional<z.ZodType>).unwrap());
  if (schema === writtenTextSchema) return 'json';
  if (type === 'number') return 'number';
  return type === 'string' || type === 'enum' ? 'text' : 'json';
}
