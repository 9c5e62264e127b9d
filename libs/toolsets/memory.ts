import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ErrorDetail, ErrorType, Fact } from '#contracts';
import { timestampOf, type Clock } from '#time';
import { defineTool, defineToolset, ToolError, type ToolsetHost } from '#tools';
import { toSearchTerms } from './search-terms.js';

/** The part of the store that these tools need for facts. */
export interface FactStore {
  /** Inserts the fact or sets its text; the last writer wins. `full`: the user has `limit` other facts. */
  putFact(fact: Fact, limit: number): Promise<'put' | 'full'>;
  /** All facts of a user, newest first. */
  listFacts(userId: string): Promise<Fact[]>;
  removeFact(id: string): Promise<void>;
}

const MAX_FACTS = 200;
const MAX_RECALLED = 20;

const key = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('Short name of the fact, like "name of the cat"; upper and lower case are the same');
const text = z.string().trim().min(1).max(2000).describe('What to remember, as one complete sentence');
const query = z
  .string()
  .max(500)
  .optional()
  .describe('Words to look for in names and texts; without them, the newest facts are returned');

export function createMemoryToolset(store: FactStore, clock: Pick<Clock, 'wall'>): ToolsetHost {
  return defineToolset({
    name: 'memory',
    version: '1.0.1',
    tools: [
      defineTool({
        name: 'remember',
        description:
          'Remembers a small fact about the user, beyond this conversation, for this user alone. It replaces a fact ' +
          'with the same key. Use it when the user asks you to remember something, never for passwords or other secrets.',
        input: z.strictObject({ key, text }),
        class: 'idempotent',
        timeoutMs: 10_000,
        run: (fact, { userId }) => reach(() => remember(store, userId, { ...fact, at: timestampOf(clock) })),
      }),
      defineTool({
        name: 'recall',
        description:
          'Returns facts that were remembered for the user earlier, in this conversation or another: those with the most ' +
          `words of the query first, at most ${MAX_RECALLED}.`,
        input: z.strictObject({ query }),
        class: 'read',
        timeoutMs: 10_000,
        run: (asked, { userId }) => reach(() => recall(store, userId, asked.query ?? '')),
      }),
      defineTool({
        name: 'forget',
        description:
          'Removes a remembered fact by its key, for good. Use recall first if the key is unknown.',
        input: z.strictObject({ key }),
        class: 'idempotent',
        timeoutMs: 10_000,
        run: (fact, { userId }) => reach(() => store.removeFact(idOf(userId, fact.key)), 'Forgotten.'),
      }),
    ],
  });
}

async function remember(store: FactStore, userId: string, fact: Pick<Fact, 'key' | 'text' | 'at'>) {
  const _id = idOf(userId, fact.key);
  const row = { _id, user_id: userId, ...fact };
  if ((await store.putFact(row, MAX_FACTS)) === 'full') {
    const message = `The limit of ${MAX_FACTS} facts is reached: forget one first.`;
    throw failed('PermissionError', message, { limit: MAX_FACTS });
  }
  return `Remembered as "${fact.key}".`;
}

async function recall(store: FactStore, userId: string, wanted: string) {
  const facts = await store.listFacts(userId);
  const terms = toSearchTerms(wanted);
  const found = terms.length === 0 ? facts : mostWords(facts, terms);
  const shown = found.slice(0, MAX_RECALLED).map(({ key, text, at }) => ({ key, text, remembered_at: at }));
  return { facts: shown, found: found.length, remembered: facts.length };
}

/** Facts with any of the words, those with most words first. A word is also found in its other forms: cat, cats. */
function mostWords(facts: readonly Fact[], terms: readonly string[]): Fact[] {
  const scored = facts.map((fact) => {
    const words = new Set(toSearchTerms(`${fact.key} ${fact.text}`, Infinity).map(withoutEnding));
    return { fact, score: terms.filter((term) => words.has(withoutEnding(term))).length };
  });
  const hits = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return hits.map(({ fact }) => fact);
}

function withoutEnding(word: string): string {
  return word.length > 3 ? word.replace(/(?:'s|s)$/, '') : word;
}

/** One row per user and key, ignoring the key's case. */
function idOf(userId: string, name: string): string {
  const parts = JSON.stringify([userId, name.normalize('NFC').toLowerCase()]);
  return `fact_${createHash('sha256').update(parts).digest('hex')}`;
}

async function reach<T>(act: () => Promise<T>, said?: string): Promise<T | string> {
  try {
    const result = await act();
    return said ?? result;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw failed('DependencyUnavailable', 'Remembered facts are not available right now.');
  }
}

function failed(type: ErrorType, message: string, details?: ErrorDetail['error_details']): ToolError {
  return new ToolError({ error_type: type, error_message: message, error_details: details });
}
