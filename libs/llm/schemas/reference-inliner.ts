import { isSchema, type JsonSchema } from './json-schema.js';
import { mergeSchemas } from './merge-schemas.js';
import { resolveReference } from './resolve-reference.js';

/** Times that one definition may stand inside itself. */
const MAX_NESTING = 2;
/** Characters of definitions that are put in place of references: hostile ones would multiply. */
const MAX_INLINED_LENGTH = 200_000;

export interface Settled {
  /** Without `$ref` and `allOf` of its own. */
  schema: JsonSchema;
  /** The references that led here. */
  trail: readonly string[];
  /** A reference that was left out: it nests too deep, or leads nowhere. */
  left?: string;
}

/** Puts definitions in the place of references, so far that it ends. One per schema. */
export class ReferenceInliner {
  private inlinedLength = 0;

  constructor(private readonly root: JsonSchema) {}

  settle(schema: JsonSchema, trail: readonly string[]): Settled {
    const settled: Settled = { schema: {}, trail };
    const queue = [schema];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { $ref, allOf, ...plain } = next;
      settled.schema = mergeSchemas(settled.schema, plain);
      if (Array.isArray(allOf)) queue.push(...allOf.filter(isSchema));
      if (typeof $ref !== 'string') continue;
      const target = this.follow($ref, settled.trail);
      if (target) queue.push(target);
      else settled.left = $ref;
      settled.trail = [...settled.trail, $ref];
    }
    return settled;
  }

  private follow(reference: string, trail: readonly string[]): JsonSchema | undefined {
    if (trail.filter((passed) => passed === reference).length >= MAX_NESTING) return undefined;
    const target = resolveReference(this.root, reference);
    if (target) this.inlinedLength += JSON.stringify(target).length;
    return this.inlinedLength > MAX_INLINED_LENGTH ? undefined : target;
  }
}
