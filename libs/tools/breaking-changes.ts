import type { ToolDefinition } from '#contracts';
import { narrowings, type Narrowing, type NarrowingKind } from './narrowing.js';

/** The part of a definition that calls and their readers rely on. */
export type Contract = Pick<ToolDefinition, 'input_schema' | 'output_schema' | 'class'>;

const MAX_LISTED = 10;

const OF_INPUT: Record<NarrowingKind, string> = {
  removed: 'was removed',
  required: 'is newly required',
  type: 'no longer takes',
  values: 'no longer takes',
  bound: 'has a narrower',
  others: 'no longer takes fields without a name',
  undecided: 'changed in a way that no rule decides',
};

const OF_OUTPUT: Record<NarrowingKind, string> = {
  removed: 'was removed',
  required: 'may be missing',
  type: 'may now be',
  values: 'may now be',
  bound: 'has a wider',
  others: 'may have fields without a name',
  undecided: 'changed in a way that no rule decides',
};

/** Without a name for what it is about. */
const SOMETHING: Partial<Record<NarrowingKind, string>> = { type: 'another type', values: 'other values' };

/**
 * Why calls made for `before`, and readers of its results, may fail with `after`: one sentence each, without its full
 * stop, ten at most. Empty: the change needs no new major version. Rules: docs/tools.md, "Versions". What no rule can
 * decide counts as breaking.
 */
export function breakingChanges(before: Contract, after: Contract): string[] {
  const input = narrowings(before.input_schema, after.input_schema, 'from');
  return [
    ...(before.class === after.class ? [] : [`class changed from ${before.class} to ${after.class}`]),
    ...input.map((narrowing) => describe('input', narrowing, OF_INPUT)),
    ...outputChanges(before, after).map((widening) => describe('output', widening, OF_OUTPUT)),
  ].slice(0, MAX_LISTED);
}

/** Without a schema before, nothing was promised. */
function outputChanges({ output_schema: before }: Contract, { output_schema: after }: Contract): Narrowing[] {
  if (before === undefined) return [];
  return after === undefined ? [{ place: '', kind: 'removed' }] : narrowings(after, before, 'to');
}

function describe(
  side: 'input' | 'output',
  { place, kind, about = SOMETHING[kind] }: Narrowing,
  words: Record<NarrowingKind, string>,
): string {
  const where = place === '' ? side : `${side} ${place}`;
  return [where, words[kind], about].filter((part) => part !== undefined).join(' ');
}
