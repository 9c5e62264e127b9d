import { isSchema, type JsonSchema } from './json-schema.js';
import { mergeSchemas } from './merge-schemas.js';
import { resolveReference } from './resolve-reference.js';

/** How many times one definition may be nested in itself. */
const MAX_NESTING = 2;
/** The maximum number of characters of inlined definitions: hostile ones would multiply. */
const MAX_INLINED_LENGTH = 200_000;

export interface Settled {
  /** The schema without its own `$ref` and `allOf`. */
  schema: JsonSchema;
  /** The references that led here. */
  trail: readonly string[];
  /** A reference that was left out because it nests too deep or leads nowhere. */
  left?: string;
}

/** Replaces references by definitions, up to limits that make it end. One per schema. */
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
