import { toCurrentKeywords } from './current-keywords.js';
import { flattenTop, type Converted } from './flatten-top.js';
import {
  isSchema,
  stringsOf,
  toCanonicalJson,
  uniqueSchemas,
  withNote,
  type JsonSchema,
  type SchemaLoss,
} from './json-schema.js';
import { mergeSchemas } from './merge-schemas.js';
import { ReferenceInliner } from './reference-inliner.js';
import { isOfType, narrowTo, propertiesOf, typesOf } from './schema-types.js';

/**
 * The part of JSON Schema that a provider supports. Every provider supports types, properties, required, items and
 * anyOf.
 */
export interface Subset {
  /** Keywords that it accepts unchanged. */
  keywords: readonly string[];
  takesEnum(values: readonly unknown[]): boolean;
  takesFormat(format: unknown): boolean;
  /** Every schema has a type or alternatives, and null is a separate flag. */
  hasNullFlag: boolean;
}

interface Place {
  /** JSON pointer. */
  path: string;
  trail: readonly string[];
}

const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'const'];
/** Keywords that are handled one by one, or mean nothing to a model. */
const NOT_EXPLAINED = new Set([
  ...[
    'type',
    'properties',
    'required',
    'items',
    'prefixItems',
    'anyOf',
    'oneOf',
    'enum',
    'const',
    'nullable',
  ],
  ...[
    'additionalProperties',
    'description',
    '$schema',
    '$id',
    'id',
    '$anchor',
    '$comment',
    '$defs',
    'definitions',
  ],
  ...['title', 'default', 'readOnly', 'writeOnly', 'deprecated', 'format'],
]);
const STRUCTURE = [
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'enum',
  'const',
  'additionalProperties',
];

/** Rewrites a schema of any draft into a provider's subset. One instance per schema. */
export class SubsetConverter {
  private readonly losses: SchemaLoss[] = [];
  private readonly root: JsonSchema;
  private readonly references: ReferenceInliner;

  constructor(
    schema: JsonSchema,
    private readonly subset: Subset,
  ) {
    this.root = toCurrentKeywords(schema);
    this.references = new ReferenceInliner(this.root);
  }

  convert(): Converted {
    const { schema, losses } = flattenTop(this.root, REFUSED_AT_TOP);
    this.losses.push(...losses);
    const top = this.rewriteType(schema, 'object', { path: '', trail: [] });
    return { schema: { ...top, properties: propertiesOf(top) }, losses: this.losses };
  }

  private rewrite(schema: unknown, { path, trail: before }: Place): JsonSchema {
    if (!isSchema(schema)) return this.anything();
    const { schema: own, trail, left } = this.references.settle(schema, before);
    const rewritten = this.rewriteSettled(own, { path, trail });
    if (left === undefined) return rewritten;
    this.losses.push({ path, keyword: '$ref' });
    return withNote(rewritten, `The same form as "${left.split('/').at(-1)}".`);
  }

  private rewriteSettled(schema: JsonSchema, place: Place): JsonSchema {
    const { anyOf, oneOf, ...own } = schema;
    const alternatives = Array.isArray(anyOf) ? anyOf : oneOf;
    if (Array.isArray(alternatives) && alternatives.some(isSchema))
      return this.rewriteAlternatives(own, alternatives.filter(isSchema), place);
    const types = typesOf(own);
    const plain = types.filter((type) => type !== 'null');
    const isNullable = own.nullable === true || plain.length < types.length;
    // A value that can only be null still needs a type.
    return this.withNull(
      this.rewriteTypes(own, types.length > 0 && plain.length === 0 ? ['string'] : plain, place),
      isNullable,
    );
  }

  private rewriteAlternatives(own: JsonSchema, branches: JsonSchema[], place: Place): JsonSchema {
    const { description, nullable, ...base } = own;
    const real = branches.filter((branch) => branch.type !== 'null');
    const isNullable = nullable === true || real.length < branches.length;
    const isDetailed = STRUCTURE.some((keyword) => keyword in base);
    const forms = uniqueSchemas(
      real.map((branch) => this.rewrite(isDetailed ? mergeSchemas(base, branch) : branch, place)),
    );
    const [only = { type: 'string' }, ...others] = forms;
    const joined = others.length === 0 ? only : { anyOf: forms };
    if (!isDetailed) this.explain(joined, base, place.path);
    return this.withNull(describedBy(joined, description), isNullable);
  }

  private rewriteTypes(schema: JsonSchema, types: string[], place: Place): JsonSchema {
    const { description, ...rest } = schema;
    if (types.length === 0) return describedBy(this.explain(this.anything(), rest, place.path), description);
    const values = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : undefined;
    const possible = types.filter((type) => !values || values.some((value) => isOfType(value, type)));
    if (possible.length <= 1) return this.rewriteType(schema, possible[0] ?? types[0]!, place);
    const forms = uniqueSchemas(possible.map((type) => this.rewriteType(rest, type, place)));
    return describedBy({ anyOf: forms }, description);
  }

  private rewriteType(whole: JsonSchema, type: string, place: Place): JsonSchema {
    const schema = narrowTo(whole, type);
    const rewritten = describedBy({ type }, schema.description);
    const values = 'const' in schema ? [schema.const] : schema.enum;
    if (Array.isArray(values)) this.takeEnum(rewritten, values, place.path);
    for (const keyword of this.subset.keywords) if (keyword in schema) rewritten[keyword] = schema[keyword];
    if (schema.format !== undefined && this.subset.takesFormat(schema.format))
      rewritten.format = schema.format;
    if (type === 'object') this.takeProperties(rewritten, schema, place);
    if (type === 'array') this.takeItems(rewritten, schema, place);
    return this.explain(rewritten, schema, place.path);
  }

  private takeEnum(rewritten: JsonSchema, values: unknown[], path: string): void {
    const fitting = values.filter((value) => isOfType(value, String(rewritten.type)));
    if (fitting.length > 0 && this.subset.takesEnum(fitting)) {
      rewritten.enum = fitting;
      return;
    }
    this.losses.push({ path, keyword: 'enum' });
    note(rewritten, `One of: ${fitting.map((value) => JSON.stringify(value)).join(', ')}`);
  }

  private takeProperties(rewritten: JsonSchema, schema: JsonSchema, { path, trail }: Place): void {
    const declared = propertiesOf(schema);
    const required = [...new Set(stringsOf(schema.required))];
    // Required properties must be declared too.
    const names = new Set([...Object.keys(declared), ...required]);
    const properties = [...names]
      .filter((name) => declared[name] !== false)
      .map((name) => [name, this.rewrite(declared[name], { path: `${path}/properties/${name}`, trail })]);
    if (properties.length > 0) rewritten.properties = Object.fromEntries(properties);
    const kept = required.filter((name) => declared[name] !== false);
    if (kept.length > 0) rewritten.required = kept;
    const { additionalProperties: others } = schema;
    if (!isSchema(others) || Object.keys(others).length === 0) return;
    this.losses.push({ path, keyword: 'additionalProperties' });
    note(rewritten, `Any other property: ${toCanonicalJson(others)}`);
  }

  private takeItems(rewritten: JsonSchema, schema: JsonSchema, { path, trail }: Place): void {
    const tuple = Array.isArray(schema.prefixItems) ? (schema.prefixItems as unknown[]) : undefined;
    if (!tuple) {
      rewritten.items = this.rewrite(schema.items, { path: `${path}/items`, trail });
      return;
    }
    this.losses.push({ path, keyword: 'prefixItems' });
    const places = [...tuple, ...(schema.items === false ? [] : [schema.items])];
    const forms = places.map((form) => this.rewrite(form, { path: `${path}/prefixItems`, trail }));
    const different = uniqueSchemas(forms);
    rewritten.items = different.length === 1 ? different[0] : { anyOf: different };
    note(rewritten, `In this order: ${toCanonicalJson(tuple)}`);
  }

  /** Adds to the description what the subset cannot express. */
  private explain(rewritten: JsonSchema, schema: JsonSchema, path: string): JsonSchema {
    const left = Object.entries(schema).filter(
      ([key]) => !(NOT_EXPLAINED.has(key) || key in rewritten || key.startsWith('x-')),
    );
    if (schema.format !== undefined && !('format' in rewritten)) left.push(['format', schema.format]);
    if (left.length === 0) return rewritten;
    for (const [keyword] of left) this.losses.push({ path, keyword });
    return note(rewritten, `JSON Schema: ${toCanonicalJson(Object.fromEntries(left))}`);
  }

  private withNull(schema: JsonSchema, isNullable: boolean): JsonSchema {
    if (!isNullable) return schema;
    if (this.subset.hasNullFlag) return { ...schema, nullable: true };
    const values = Array.isArray(schema.enum)
      ? { enum: [...new Set([...(schema.enum as unknown[]), null])] }
      : {};
    if (schema.type !== undefined)
      return { ...schema, ...values, type: [...new Set([schema.type, 'null'].flat())] };
    if (!Array.isArray(schema.anyOf)) return schema;
    return { ...schema, anyOf: uniqueSchemas([...(schema.anyOf as JsonSchema[]), { type: 'null' }]) };
  }

  /** For places where a type must be named: two levels, because an endless schema cannot be written down. */
  private anything(): JsonSchema {
    if (!this.subset.hasNullFlag) return {};
    const simple = ['string', 'number', 'boolean', 'object'].map((type) => ({ type }));
    const items = this.withNull({ anyOf: simple }, true);
    return this.withNull({ anyOf: [...simple, { type: 'array', items }] }, true);
  }
}

function describedBy(schema: JsonSchema, description: unknown): JsonSchema {
  if (typeof description !== 'string' || description === '') return schema;
  const own = typeof schema.description === 'string' ? `\n${schema.description}` : '';
  return { ...schema, description: own.includes(description) ? own.slice(1) : `${description}${own}` };
}

function note(schema: JsonSchema, text: string): JsonSchema {
  return Object.assign(schema, withNote(schema, text));
}
