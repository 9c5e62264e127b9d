import type { MetricSubject } from './metric-subject.js';

const STORE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const STORE_KINDS = ['read', 'insert', 'change', 'remove', 'other'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

const VERBS: readonly [RegExp, StoreKind][] = [
  [/^(get|list|read|count|sum|find|last)/, 'read'],
  [/^(insert|put|commit|claim|settle|answer|add|keep)/, 'insert'],
  [/^(set|update|beat|note|prolong)/, 'change'],
  [/^remove/, 'remove'],
];

/** The kind of a store's operation, by its name; `other`: `open`, `ping` and the like. */
export function storeKind(operation: string): StoreKind {
  return VERBS.find(([verb]) => verb.test(operation))?.[1] ?? 'other';
}

export const storeMetrics = (about: MetricSubject) => ({
  storeLatency: about.histogram({
    name: 'switchyard_store_operation_seconds',
    help: 'Duration of store operations, by kind and outcome.',
    labels: { kind: STORE_KINDS, outcome: ['ok', 'unavailable', 'error'] },
    buckets: STORE_BUCKETS,
  }),
  storeDuplicates: about.counter({
    name: 'switchyard_store_duplicates_total',
    help: 'Inserts that found their key taken, by operation: another process was earlier, or this is a repetition.',
    labels: { operation: 'open' },
  }),
});
