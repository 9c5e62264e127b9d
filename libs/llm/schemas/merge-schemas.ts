import { isEqual, isSchema, stringsOf, toCanonicalJson, type JsonSchema } from './json-schema.js';
import { propertiesOf } from './schema-types.js';

type Merge = (a: never, b: never) => unknown;

/** Kept as `allOf` of both, because their parts cannot be merged one by one. */
const COMPOSED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

const larger = (a: unknown, b: unknown) => Math.max(Number(a), Number(b));
const smaller = (a: unknown, b: unknown) => Math.min(Number(a), Number(b));

/** How to merge the values of a keyword that both have; for any other keyword the first value stays. */
const MERGES: Record<string, Merge> = {
  properties: mergeProperties,
  required: (a: unknown, b: unknown) => [...new Set([...stringsOf(a), ...stringsOf(b)])],
  type: mergeTypes,
  enum: mergeEnums,
  description: (a: string, b: string) => `${a}\n${b}`,
  items: (a: unknown, b: unknown) => mergeBoth(a, b),
  minimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
};

/** One schema that accepts everything that both accept (`allOf`), and rarely more. */
export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (!(key in a)) merged[key] = value;
    else if (!isEqual(a[key], value))
      merged[key] = (MERGES[key] ?? keepFirst)(a[key] as never, value as never);
  }
  // `additionalProperties: false` of one knows nothing of the properties of the other.
  const isClosed = isEqual(a.additionalProperties, b.additionalProperties);
  if (!isClosed && !declaresSame(a, b)) delete merged.additionalProperties;
  return merged;
}

function declaresSame(a: JsonSchema, b: JsonSchema): boolean {
  const [closed, other] = 'additionalProperties' in a ? [a, b] : [b, a];
  if ('additionalProperties' in other) return false;
  const known = propertiesOf(closed);
  return Object.keys(propertiesOf(other)).every((name) => Object.hasOwn(known, name));
}

function keepFirst(a: unknown): unknown {
  return a;
}

function mergeProperties(a: unknown, b: unknown): unknown {
  if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b;
  const merged = { ...a };
  for (const [name, value] of Object.entries(b)) {
    merged[name] = Object.hasOwn(a, name) ? mergeBoth(a[name], value) : value;
  }
  return merged;
}

function mergeBoth(a: unknown, b: unknown): unknown {
  if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b;
  if (isEqual(a, b)) return a;
  const isComposed = COMPOSED.some((keyword) => keyword in a || keyword in b);
  return isComposed ? { allOf: [a, b] } : mergeSchemas(a, b);
}

function mergeTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [[a].flat(), [b].flat()];
  const both = left.filter((type) => right.includes(type));
  const narrowed = (from: unknown[], by: unknown[]) => from.includes('number') && by.includes('integer');
  if (narrowed(left, right) || narrowed(right, left)) both.push('integer');
  const kept = [...new Set(both)];
  if (kept.length === 0) return a;
  return kept.length === 1 ? kept[0] : kept;
}

function mergeEnums(a: unknown[], b: unknown[]): unknown {
  const right = new Set(b.map(toCanonicalJson));
  const both = a.filter((value) => right.has(toCanonicalJson(value)));
  return both.length > 0 ? both : a;
}
