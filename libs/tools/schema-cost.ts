/*
 * The possible cost of a check, decided by the schema alone. If each keyword goes over the data once, a check costs at
 * most the schema's size times the data's size. Every other schema is costly, whatever the data.
 */

/** Keywords whose work can grow faster than the data. */
const COSTLY_KEYWORDS = new Set(['$anchor', '$dynamicAnchor', '$dynamicRef', 'pattern', 'patternProperties']);
/** Their patterns in ajv-formats cannot backtrack; formats that are not listed are costly. */
const CHEAP_FORMATS = new Set([
  ...['binary', 'date', 'date-time', 'double', 'email', 'float', 'int32', 'int64', 'ipv4', 'password'],
  ...['time', 'uri', 'uuid'],
]);
const SCHEMA_MAPS = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'properties']);
/** Keywords whose values are compared with the data or are names: they contain no schemas. */
const PLAIN_VALUES = new Set(['const', 'dependentRequired', 'enum', 'required', 'type']);
/** The maximum depth of references within references; more would need a deep stack to follow. */
const MAX_REFERENCE_DEPTH = 32;

/**
 * The length of a reduced schema with each `$ref` replaced by its target; Infinity for a schema that has a costly
 * keyword or refers to itself.
 */
export function costOfSchema(reduced: Record<string, unknown>): number {
  return new Unfolding(reduced).costOf(reduced);
}

class Unfolding {
  /** The cost of each reference; Infinity while it is being computed, so that a cycle is costly. */
  private readonly references = new Map<string, number>();
  private depth = 0;

  constructor(private readonly root: Record<string, unknown>) {}

  costOf(schema: unknown): number {
    if (Array.isArray(schema)) return sum(schema.map((item) => this.costOf(item)));
    if (typeof schema !== 'object' || schema === null) return 1;
    return sum(Object.entries(schema).map(([keyword, value]) => this.costOfKeyword(keyword, value)));
  }

  private costOfKeyword(keyword: string, value: unknown): number {
    if (COSTLY_KEYWORDS.has(keyword)) return Infinity;
    if (keyword === '$ref') return this.costOfReference(String(value));
    if (keyword === 'uniqueItems') return value === true ? Infinity : 1;
    if (keyword === 'format') return CHEAP_FORMATS.has(String(value)) ? 1 : Infinity;
    if (PLAIN_VALUES.has(keyword)) return JSON.stringify(value).length;
    // Definitions themselves cost nothing; references to them do.
    if (keyword === '$defs' || keyword === 'definitions') return 0;
    if (SCHEMA_MAPS.has(keyword)) {
      const entries = Object.entries(value as Record<string, unknown>);
      return sum(entries.map(([name, inner]) => name.length + this.costOf(inner)));
    }
    return keyword.length + this.costOf(value);
  }

  private costOfReference(reference: string): number {
    const known = this.references.get(reference);
    if (known !== undefined) return known;
    this.references.set(reference, Infinity);
    const target = this.find(reference);
    if (target === undefined || this.depth === MAX_REFERENCE_DEPTH) return Infinity;
    this.depth++;
    const cost = this.costOf(target);
    this.depth--;
    this.references.set(reference, cost);
    return cost;
  }

  /** By its JSON Pointer: `#/$defs/address`. */
  private find(reference: string): unknown {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined;
    const names = reference.split('/').slice(1);
    let found: unknown = this.root;
    for (const name of names) {
      if (typeof found !== 'object' || found === null || /[%~]/.test(name)) return undefined;
      found = Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
    }
    return found;
  }
}

function sum(costs: readonly number[]): number {
  return costs.reduce((total, cost) => total + cost, 0);
}
