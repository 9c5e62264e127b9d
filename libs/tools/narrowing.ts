import { isObject } from '#contracts';
import { canonicalHash } from './canonical-hash.js';
import { withoutAnnotations } from './without-annotations.js';

type Schema = Record<string, unknown>;

/** `undecided`: rules cannot tell. */
export type NarrowingKind = 'removed' | 'required' | 'type' | 'values' | 'bound' | 'others' | 'undecided';

export interface Narrowing {
  /** `a.b[]`; empty: the whole value. */
  place: string;
  kind: NarrowingKind;
  /** The type, value or keyword that it is about. */
  about?: string;
}

/** All others are undecided, unless they are the same on both sides. */
const DECIDED = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'],
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...[
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'multipleOf',
    'pattern',
    'format',
    'uniqueItems',
  ],
]);
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const SAME = ['multipleOf', 'pattern', 'format', 'uniqueItems'] as const;
/** A schema that nests deeper is undecided. */
const MAX_DEPTH = 24;
const NEWEST = 'https://json-schema.org/draft/2020-12/schema';
/** Alternatives are compared each with each; schemas of third parties may have many. The rest is undecided. */
const MAX_COMPARISONS = 1_000;

/**
 * Whose fields must stay. `from`: of arguments, which callers send: every field must be taken on. `to`: of results, which
 * readers use: every field must come again, and more are welcome.
 */
type Keep = 'from' | 'to';

interface Shared {
  comparisonsLeft: number;
  /** One schema may be compared with hundreds of alternatives. */
  hashes: WeakMap<Schema, string>;
}

interface At {
  place: string;
  depth: number;
  keep: Keep;
  /** Shared by a whole comparison. */
  shared: Shared;
}

/**
 * Which values that fit `from` may not fit `to`, as far as rules can tell; what they cannot decide counts. An empty list:
 * every such value fits. Fields that a schema does not name count as not used: one more optional field narrows nothing.
 */
export function narrowings(from: unknown, to: unknown, keep: Keep): Narrowing[] {
  if (dialectOf(from) !== dialectOf(to)) return [{ place: '', kind: 'undecided' }];
  const shared = { comparisonsLeft: MAX_COMPARISONS, hashes: new WeakMap<Schema, string>() };
  return compare(withoutAnnotations(from), withoutAnnotations(to), { place: '', depth: 0, keep, shared });
}

function compare(from: unknown, to: unknown, at: At): Narrowing[] {
  const found = (kind: NarrowingKind): Narrowing[] => [{ place: at.place, kind }];
  const [before, after] = [schemaOf(from), schemaOf(to)];
  if (after === true || before === false) return [];
  const isTooMuch = at.depth > MAX_DEPTH || --at.shared.comparisonsLeft < 0;
  if (before === undefined || after === undefined || isTooMuch) return found('undecided');
  if (before === true || after === false) return found('values');
  if (hashOf(before, at) === hashOf(after, at))
    return at.depth === 0 || isSelfContained(before) ? [] : found('undecided');
  const isDecided = [...Object.keys(before), ...Object.keys(after)].every((key) => DECIDED.has(key));
  return isDecided ? compareObjects(before, after, at) : found('undecided');
}

function hashOf(schema: Schema, { shared: { hashes } }: At): string {
  const hash = hashes.get(schema) ?? canonicalHash(schema);
  hashes.set(schema, hash);
  return hash;
}

function compareObjects(from: Schema, to: Schema, at: At): Narrowing[] {
  const found = (kind: NarrowingKind): Narrowing[] => [{ place: at.place, kind }];
  if (Array.isArray(from.anyOf)) {
    if (Object.keys(from).length > 1) return found('undecided');
    return from.anyOf.flatMap((one: unknown) => compare(one, to, at)).slice(0, 1);
  }
  if (Array.isArray(to.anyOf)) {
    if (Object.keys(to).length > 1) return found('undecided');
    const fits = to.anyOf.some((one: unknown) => compare(from, one, at).length === 0);
    return fits ? [] : found('values');
  }
  const values = valuesOf(from);
  if (values) return compareValues(values, to, at);
  if (to.enum !== undefined || to.const !== undefined) return found('values');
  const gone = typeGone(from, to);
  if (gone !== undefined) return [{ place: at.place, kind: 'type', about: gone }];
  return [...compareBounds(from, to, at), ...compareFields(from, to, at), ...compareItems(from, to, at)];
}

/** A fixed set of values. */
function valuesOf({ enum: values, const: value, type: _type, ...rest }: Schema): unknown[] | undefined {
  if (Object.keys(rest).length > 0 || (values !== undefined && value !== undefined)) return undefined;
  if (value !== undefined) return [value];
  return Array.isArray(values) ? values : undefined;
}

function compareValues(values: readonly unknown[], to: Schema, { place }: At): Narrowing[] {
  const listed = valuesOf(to);
  if (listed) {
    const known = new Set(listed.filter((value) => hasType(value, to)).map(canonicalHash));
    const gone = values.find((value) => !known.has(canonicalHash(value)));
    return gone === undefined ? [] : [{ place, kind: 'values', about: JSON.stringify(gone).slice(0, 60) }];
  }
  if (Object.keys(to).some((key) => key !== 'type')) return [{ place, kind: 'undecided' }];
  return values.every((value) => hasType(value, to)) ? [] : [{ place, kind: 'type' }];
}

function typeGone(from: Schema, to: Schema): string | undefined {
  if (to.type === undefined) return undefined;
  if (from.type === undefined) return 'any type';
  const taken = new Set(typesOf(to));
  const isTaken = (type: string) => taken.has(type) || (type === 'integer' && taken.has('number'));
  return typesOf(from).find((type) => !isTaken(type));
}

function compareBounds(from: Schema, to: Schema, { place }: At): Narrowing[] {
  const isTighter = (key: string, isWithin: (before: number, after: number) => boolean): boolean => {
    const [before, after] = [from[key], to[key]];
    if (after === undefined) return false;
    return typeof before !== 'number' || typeof after !== 'number' || !isWithin(before, after);
  };
  const tighter = [
    ...LOWER.filter((key) => isTighter(key, (before, after) => before >= after)),
    ...UPPER.filter((key) => isTighter(key, (before, after) => before <= after)),
    ...SAME.filter((key) => to[key] !== undefined && to[key] !== false && to[key] !== from[key]),
  ];
  return tighter.map((about) => ({ place, kind: 'bound', about }));
}

function compareFields(from: Schema, to: Schema, at: At): Narrowing[] {
  if (!canBe(from, 'object')) return [];
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  const placeOf = (name: string) => (at.place === '' ? name : `${at.place}.${name}`);
  const wasRequired = new Set(namesIn(from.required));
  const [kept, found] = at.keep === 'from' ? [before, after] : [after, before];
  const removed = Object.keys(kept).filter((name) => !Object.hasOwn(found, name));
  const required = namesIn(to.required).filter((name) => !wasRequired.has(name) && !removed.includes(name));
  const inBoth = Object.keys(before).filter((name) => Object.hasOwn(after, name));
  return [
    ...removed.map((name) => ({ place: placeOf(name), kind: 'removed' as const })),
    ...required.map((name) => ({ place: placeOf(name), kind: 'required' as const })),
    ...inBoth.flatMap((name) =>
      compare(before[name], after[name], { ...at, place: placeOf(name), depth: at.depth + 1 }),
    ),
    ...compareNewNames(from, to, at),
    ...compareOthers(from, to, at),
  ];
}

/** Fields that only `to` names, where `from` says something of them all the same. */
function compareNewNames(from: Schema, to: Schema, at: At): Narrowing[] {
  const before = fieldsOf(from);
  const { additionalProperties: others } = from;
  const required = namesIn(from.required);
  return Object.entries(fieldsOf(to))
    .filter(([name]) => !Object.hasOwn(before, name) && (isObject(others) || required.includes(name)))
    .flatMap(([name, schema]) => {
      const place = at.place === '' ? name : `${at.place}.${name}`;
      return compare(others ?? true, schema, { ...at, place, depth: at.depth + 1 });
    });
}

/** Fields without a name. */
function compareOthers(from: Schema, to: Schema, at: At): Narrowing[] {
  const [before = true, after = true] = [from.additionalProperties, to.additionalProperties];
  if (schemaOf(after) === true) return [];
  if (isObject(after) && at.keep === 'to') {
    const named = Object.entries(fieldsOf(from)).filter(([name]) => !Object.hasOwn(fieldsOf(to), name));
    const broken = named.flatMap(([name, schema]) =>
      compare(schema, after, {
        ...at,
        place: at.place === '' ? name : `${at.place}.${name}`,
        depth: at.depth + 1,
      }),
    );
    if (broken.length > 0) return broken;
  }
  if (before === false) return [];
  if (after === false) return at.keep === 'from' ? [{ place: at.place, kind: 'others' }] : [];
  return compare(before, after, { ...at, place: `${at.place}{}`, depth: at.depth + 1 });
}

function compareItems(from: Schema, to: Schema, at: At): Narrowing[] {
  if (to.items === undefined || !canBe(from, 'array')) return [];
  return compare(from.items ?? true, to.items, { ...at, place: `${at.place}[]`, depth: at.depth + 1 });
}

/** True for a schema that says nothing; undefined for what is none. */
function schemaOf(schema: unknown): Schema | boolean | undefined {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return undefined;
  return Object.keys(schema).length === 0 ? true : schema;
}

/** The same words may mean something else in another one. */
function dialectOf(schema: unknown): unknown {
  return (isObject(schema) ? schema.$schema : undefined) ?? NEWEST;
}

/** The same words mean the same only if they refer to nothing outside, where something may have changed. */
function isSelfContained(schema: Schema): boolean {
  return !/"\$(?:ref|dynamicRef)":/.test(JSON.stringify(schema));
}

function canBe(schema: Schema, type: string): boolean {
  return schema.type === undefined || typesOf(schema).includes(type);
}

function typesOf({ type }: Schema): string[] {
  return (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string');
}

function hasType(value: unknown, schema: Schema): boolean {
  return schema.type === undefined || typesOfValue(value).some((type) => typesOf(schema).includes(type));
}

function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

function fieldsOf({ properties }: Schema): Schema {
  return isObject(properties) ? properties : {};
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
}
