import {
  isEqual,
  isSchema,
  stringsOf,
  toCanonicalJson,
  uniqueSchemas,
  withNote,
  withoutAnnotations,
  type JsonSchema,
  type SchemaLoss,
} from './json-schema.js';
import { mergeSchemas } from './merge-schemas.js';
import { resolveReference } from './resolve-reference.js';
import { propertiesOf } from './schema-types.js';

export interface Converted {
  schema: JsonSchema;
  losses: SchemaLoss[];
}

const MAX_REFERENCES = 10;
const ALTERNATIVES = { oneOf: 'Exactly one', anyOf: 'At least one' } as const;

/**
 * The schema of one object without `refused` keywords at its top: `allOf` is merged. Of alternatives all properties
 * stay, and the description says which belong together.
 */
export function flattenTop(schema: JsonSchema, refused: readonly string[]): Converted {
  const root = schema;
  const losses: SchemaLoss[] = [];
  let top = mergeAll(schema, root);
  for (const [keyword, quantity] of Object.entries(ALTERNATIVES)) {
    if (!refused.includes(keyword) || !(keyword in top)) continue;
    const { [keyword]: alternatives, ...rest } = top;
    const branches = (Array.isArray(alternatives) ? alternatives.filter(isSchema) : [])
      .map((branch) => mergeAll(branch, root))
      .filter(({ type }) => type === undefined || [type].flat().includes('object'));
    const forms = branches.map((branch) => toCanonicalJson(withoutAnnotations(branch)));
    const saysNothing = forms.length === 0 || forms.includes('{}');
    const note = saysNothing ? '' : `${quantity} of these forms fits: ${forms.join(' or ')}`;
    top = withNote(joinAlternatives(rest, branches), note);
    losses.push({ path: '', keyword });
  }
  for (const keyword of refused) {
    if (!(keyword in top) || keyword in ALTERNATIVES) continue;
    const { [keyword]: value, ...rest } = top;
    top = withNote(rest, `JSON Schema: ${toCanonicalJson({ [keyword]: value })}`);
    losses.push({ path: '', keyword });
  }
  return { schema: { ...top, type: 'object' }, losses };
}

/** A schema whose own reference and `allOf` are merged; references point into `root`. */
export function mergeAll(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let merged = schema;
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const { $ref, allOf, ...rest } = merged;
    const target = $ref === undefined ? undefined : resolveReference(root, $ref);
    const others = [target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])].filter(isSchema);
    if (others.length === 0) return rest;
    merged = others.reduce(mergeKeepingReferences, rest);
  }
  const { $ref: _, allOf: __, ...rest } = merged;
  return rest;
}

/** The next round handles a reference or list of the second schema, next to one of the first. */
function mergeKeepingReferences(a: JsonSchema, b: JsonSchema): JsonSchema {
  const { $ref, allOf, ...plain } = b;
  const left = [a.allOf, allOf, $ref === undefined ? undefined : [{ $ref }]].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const merged = mergeSchemas(a, plain);
  return left.length > 0 ? { ...merged, allOf: left } : merged;
}

/** Every property of every branch; required is what all branches require. */
function joinAlternatives(base: JsonSchema, branches: JsonSchema[]): JsonSchema {
  if (branches.length === 0) return base;
  const own = propertiesOf(base);
  const joined: JsonSchema = { ...own };
  for (const name of new Set(branches.flatMap((branch) => Object.keys(propertiesOf(branch))))) {
    const forms = branches.flatMap((branch) =>
      Object.hasOwn(propertiesOf(branch), name) ? [propertiesOf(branch)[name]] : [],
    );
    const form = formOf(forms);
    const isSame = !Object.hasOwn(own, name) || isEqual(own[name], form) || !isSchema(own[name]);
    // Where only some branches have a property of the base, the base alone holds for all.
    if (isSame) joined[name] = form;
    else if (forms.length === branches.length) joined[name] = { allOf: [own[name], form] };
  }
  const [first, ...others] = branches.map(({ required }) => stringsOf(required));
  const common = first!.filter((name) => others.every((names) => names.includes(name)));
  const required = [...new Set([...stringsOf(base.required), ...common])];
  const { additionalProperties: closed, ...open } = base;
  return {
    ...open,
    ...(isStillClosed(base, joined, branches) && { additionalProperties: closed ?? false }),
    properties: joined,
    ...(required.length > 0 && { required }),
  };
}

function formOf(forms: unknown[]): unknown {
  if (!forms.every(isSchema)) return {};
  const different = uniqueSchemas(forms);
  return different.length === 1 ? different[0] : { anyOf: different };
}

function isStillClosed(base: JsonSchema, joined: JsonSchema, branches: JsonSchema[]): boolean {
  const own = propertiesOf(base);
  if (base.additionalProperties === false)
    return Object.keys(joined).every((name) => Object.hasOwn(own, name));
  return branches.every((branch) => branch.additionalProperties === false);
}
