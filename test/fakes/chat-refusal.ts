import type { Json } from './messages-refusal.js';

/** What the fake refuses, in the words of the real APIs. */
export interface ChatRefusal {
  status: number;
  type: string;
  message: string;
}

export function refuse(message: string): ChatRefusal {
  return { status: 400, type: 'invalid_request_error', message };
}

/** The first refusal that `check` finds among the items. */
export function firstRefusal<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => ChatRefusal | undefined,
): ChatRefusal | undefined {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index);
    if (refusal) return refusal;
  }
  return undefined;
}

export function unknownKey(value: Json, known: readonly string[]): string | undefined {
  return Object.keys(value).find((key) => !known.includes(key));
}
