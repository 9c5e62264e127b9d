import type { z } from 'zod';
import { writtenTextSchema } from '#contracts';
import { COLLECTION_NAMES, COLLECTIONS, type CollectionName, type Field } from './collections.js';

/**
 * How a store keeps a field that has no type of its own there. `json`: as JSON text, for whatever people, models and
 * tools write: their keys never become names of fields, and text that is not valid UTF-8 (a lone surrogate) comes back
 * unchanged.
 */
export type FieldKind = 'text' | 'number' | 'json';

type FieldKinds = { [Name in CollectionName]: Record<Exclude<Field<Name>, '_id'>, FieldKind> };

/** Of every field but `_id`, as the schema of its row says. */
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
