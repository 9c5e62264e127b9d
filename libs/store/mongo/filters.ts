import type { QueryFilter } from 'mongoose';
import type { CollectionName } from '../port/collections.js';
import { assertPlainValue } from '../port/plain-value.js';
import type { Condition, Filter, Query } from '../port/rows.port.js';
import type { StoredDocument } from './documents.js';

const VALUES_PER_FILTER = 500;

/** Returns one filter. With `among`, returns one filter per part of bounded size, and none if there are no values. */
export function toFilters<Name extends CollectionName>(filter: Filter<Name>): QueryFilter<StoredDocument>[] {
  const { among, ...others } = filter;
  if (!among) return [toFilter(others)];
  const parts: QueryFilter<StoredDocument>[] = [];
  for (let at = 0; at < among.values.length; at += VALUES_PER_FILTER) {
    const part = { [among.field]: { $in: among.values.slice(at, at + VALUES_PER_FILTER) } };
    parts.push({ ...toFilter(others), ...part });
  }
  return parts;
}

function toFilter<Name extends CollectionName>({
  equals = {},
  where = {},
  hint,
}: Omit<Filter<Name>, 'among'>): QueryFilter<StoredDocument> {
  const same: object = { ...hint?.within, ...equals };
  Object.values(same).forEach(assertPlainValue);
  const conditions = Object.entries<Condition>(where as Record<string, Condition>).map(
    ([field, condition]) => [field, toOperators(condition)],
  );
  return { ...same, ...Object.fromEntries(conditions) } as QueryFilter<StoredDocument>;
}

function toOperators(condition: Condition): object {
  return Object.fromEntries(Object.entries(condition).map(([operator, value]) => [`$${operator}`, value]));
}

export function toSort<Name extends CollectionName>(order: Query<Name>['order']): Record<string, 1 | -1> {
  const entries = Object.entries(order ?? {});
  return Object.fromEntries(entries.map(([field, direction]) => [field, direction === 'asc' ? 1 : -1]));
}
