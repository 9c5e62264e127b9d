import type { Step } from '#contracts';
import { textOf } from '../journal/journal.js';
import type { ModelMessage, UserContent } from './model-message.js';
import { cutMiddle } from './cut-text.js';

/** How many characters of a tool result from before a compaction the model still reads. */
const MAX_OLD_RESULT = 500;
const KEPT_HEAD = 300;
const KEPT_TAIL = 100;

/**
 * How a turn compacted everything before it to make room. `summarised`: a text replaces all of it from here on.
 * `shortened`: the results of its tool calls are cut. The compaction is in the journal, so every process reads the
 * same.
 */
export type Compaction = { how: 'summarised'; text: string } | { how: 'shortened' };

export function compactionOf(steps: readonly Step[]): Compaction | undefined {
  const rows = steps.filter((step) => step.kind === 'summary');
  const text = rows.map(textOf).findLast((said) => said !== '');
  if (text !== undefined) return { how: 'summarised', text };
  return rows.length > 0 ? { how: 'shortened' } : undefined;
}

/** The text of a `summary` row; undefined for any other row. */
export function summaryOf(step: Step): string | undefined {
  return step.kind === 'summary' ? textOf(step) : undefined;
}

/** Splits a history in two: the summary at its start, if there is one, and the messages since. */
export function withoutSummary(messages: readonly ModelMessage[]): {
  summary: string | undefined;
  messages: ModelMessage[];
} {
  const [first, ...rest] = messages;
  if (first?.role !== 'user') return { summary: undefined, messages: messages.slice() };
  const summary = first.content.find(isSummary)?.text;
  if (summary === undefined) return { summary, messages: messages.slice() };
  const content = first.content.filter((item) => !isSummary(item));
  return { summary, messages: content.length > 0 ? [{ role: 'user', content }, ...rest] : rest };
}

function isSummary(item: UserContent): item is UserContent & { type: 'text'; summary: true } {
  return item.type === 'text' && item.summary === true;
}

/** The messages before a turn as the turn left them: the same list if it has compacted nothing. */
export function compacted(history: ModelMessage[], steps: readonly Step[]): ModelMessage[] {
  const compaction = compactionOf(steps);
  if (!compaction) return history;
  return compaction.how === 'summarised' ? [] : shortenResults(history);
}

/** Cuts long results and leaves pictures out. Idempotent; calls and their results stay together. */
export function shortenResults(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) =>
    message.role === 'user' ? { role: 'user', content: message.content.map(shortenResult) } : message,
  );
}

function shortenResult(item: UserContent): UserContent {
  if (item.type !== 'tool_result') return item;
  const { images: _images, ...rest } = item;
  return { ...rest, text: shortenText(item.text) };
}

function shortenText(text: string): string {
  return text.length <= MAX_OLD_RESULT ? text : cutMiddle(text, KEPT_HEAD, KEPT_TAIL);
}
