import { isDeepStrictEqual } from 'node:util';
import { COLLECTIONS, type CollectionName, type Field, type Rows } from '../collections.js';

/**
 * How a field stands in its document. `json`: as JSON text, for whatever people, models and tools write: their
 * keys never become field names, and text that is not valid UTF-8 (a lone surrogate) comes back unchanged.
 */
export type FieldKind = 'text' | 'number' | 'json';

export type StoredDocument = { _id: string } & Record<string, string | number | null | undefined>;

type PlainKind<Value> = [NonNullable<Value>] extends [string]
  ? 'text' | 'json'
  : [NonNullable<Value>] extends [number]
    ? 'number'
    : 'json';
type FieldKinds<Name extends CollectionName> = {
  [Key in Exclude<Field<Name>, '_id'>]-?: PlainKind<Rows[Name][Key & keyof Rows[Name]]>;
};

const inTurn = { turn_id: 'text', conversation_id: 'text', at: 'text' } as const;

export const FIELD_KINDS: { [Name in CollectionName]: FieldKinds<Name> } = {
  conversations: {
    user_id: 'text',
    title: 'json',
    policy: 'text',
    tools: 'json',
    model: 'text',
    created_at: 'text',
    updated_at: 'text',
    deleted_at: 'text',
    expires_at: 'text',
    due_at: 'number',
    late_after: 'number',
  },
  turns: {
    conversation_id: 'text',
    number: 'number',
    user_id: 'text',
    client_message_id: 'text',
    content: 'json',
    options: 'json',
    traceparent: 'text',
    at: 'text',
    status: 'text',
    due_at: 'number',
  },
  steps: {
    ...inTurn,
    turn_number: 'number',
    n: 'number',
    attempt: 'number',
    kind: 'text',
    blocks: 'json',
    calls: 'json',
    stop_reason: 'text',
    usage: 'json',
    spent: 'json',
    model: 'text',
    final: 'json',
    error: 'json',
  },
  claims: { ...inTurn, owner: 'text', n: 'number', purpose: 'text', decides: 'json', catalog_hash: 'text' },
  outcomes: {
    ...inTurn,
    n: 'number',
    status: 'text',
    data: 'json',
    error: 'json',
    explanation: 'json',
    artifacts: 'json',
    attempt: 'number',
    worker: 'text',
    duration_ms: 'number',
  },
  answers: {
    ...inTurn,
    decision: 'text',
    question: 'json',
    action: 'text',
    content: 'json',
    by: 'text',
  },
  catalogs: { tools: 'json' },
  processes: { role: 'text', host: 'text', beat: 'number' },
  artifacts: {
    ...inTurn,
    user_id: 'text',
    tool_call_id: 'text',
    content_type: 'json',
    size: 'number',
    hash: 'text',
    name: 'json',
    content: 'text',
  },
  dead_letters: {
    queue: 'text',
    reason: 'json',
    message_id: 'json',
    content: 'json',
    size: 'number',
    turn_id: 'text',
    at: 'text',
    replayed_at: 'text',
    replayed_by: 'json',
  },
  facts: { user_id: 'text', key: 'json', text: 'json', at: 'text' },
  users: {
    number: 'number',
    email: 'json',
    email_key: 'text',
    username: 'json',
    username_key: 'text',
    look_key: 'text',
    full_name: 'json',
    password: 'text',
    role: 'text',
    is_active: 'json',
    created_at: 'text',
  },
  secrets: { value: 'text', created_at: 'text' },
  bindings: {
    user_id: 'text',
    dialect: 'text',
    key: 'json',
    value: 'json',
    at: 'text',
    conversation_id: 'text',
    expires_at: 'text',
  },
  usage: {
    user_id: 'text',
    day: 'text',
    conversation_id: 'text',
    model: 'text',
    input_tokens: 'number',
    output_tokens: 'number',
    cached_tokens: 'number',
    cost: 'number',
    counted_to: 'number',
  },
  usage_holds: { user_id: 'text', tokens: 'number', cost: 'number', at: 'text' },
};

/** Undefined fields are left out. Throws on a field that the collection does not know. */
export function toDocument<Name extends CollectionName>(
  name: Name,
  row: Partial<Rows[Name]>,
): StoredDocument {
  const kinds: Record<string, FieldKind> = FIELD_KINDS[name];
  const fields = Object.entries(row).filter(([, value]) => value !== undefined);
  const encode = ([key, value]: [string, unknown]) => {
    if (key !== '_id' && !Object.hasOwn(kinds, key)) throw new TypeError(`${name} has no field ${key}`);
    return [key, kinds[key] === 'json' ? JSON.stringify(value) : value];
  };
  return Object.fromEntries(fields.map(encode)) as StoredDocument;
}

export function toRow<Name extends CollectionName>(name: Name, document: StoredDocument): Rows[Name] {
  const kinds: Record<string, FieldKind> = FIELD_KINDS[name];
  const decode = ([key, value]: [string, unknown]) => [
    key,
    kinds[key] === 'json' ? JSON.parse(value as string) : value,
  ];
  return Object.fromEntries(Object.entries(document).map(decode)) as Rows[Name];
}

/** Whether the stored row is the one that I inserted, whatever its caches say by now. */
export function isSameRow<Name extends CollectionName>(
  name: Name,
  stored: Rows[Name],
  mine: Rows[Name],
): boolean {
  const asStored = toRow(name, toDocument(name, mine));
  return isDeepStrictEqual(withoutCaches(name, stored), withoutCaches(name, asStored));
}

function withoutCaches<Name extends CollectionName>(name: Name, row: Rows[Name]): object {
  const caches: readonly string[] = COLLECTIONS[name].caches;
  return Object.fromEntries(Object.entries(row).filter(([key]) => !caches.includes(key)));
}
