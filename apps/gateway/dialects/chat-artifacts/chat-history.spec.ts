import { describe, expect, it } from '@jest/globals';
import { newestExchanges, historyMessages, type HistoryItem } from './chat-history.js';

const readHistory = (items: HistoryItem[], message: string) =>
  newestExchanges(historyMessages(items, message));

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('readHistory', () => {
  it('drops the current message at the end of the history, and only there', () => {
    const items = [user('Hi'), assistant('Hello.'), user(' Hi ')];
    expect(readHistory(items, 'Hi')).toEqual([{ user: 'Hi', assistant: 'Hello.' }]);
    expect(readHistory(items.slice(0, 2), 'Hi')).toEqual([{ user: 'Hi', assistant: 'Hello.' }]);
  });

  it('drops system items and placeholders of answers', () => {
    const placeholders = [
      '_Status: Executing tool: add..._',
      '_Error: no_',
      '_Processing your request..._',
      ' ',
    ];
    const items = [{ role: 'system', content: 'Be nice.' }, user('Hi'), ...placeholders.map(assistant)];
    expect(readHistory(items, 'x')).toEqual([{ user: 'Hi', assistant: '' }]);
    const kept = '_Status: of things_ is a book.';
    expect(readHistory([user('Hi'), assistant(kept)], 'x')).toEqual([{ user: 'Hi', assistant: kept }]);
  });

  it('drops the current message even when a placeholder for its answer follows', () => {
    expect(readHistory([user('Hi'), assistant('_Processing your request..._')], 'Hi')).toEqual([]);
  });

  it('reads blocks as text, and buttons as the artifacts that they open', () => {
    const button =
      '<button class="artifact-button" data-artifact-id="1" data-artifact-type="code">📎 A &amp; B</button>';
    const blocks = [
      { type: 'text', text: 'See' },
      { type: 'tool_use', input: {} },
      { type: 'text', text: button },
    ];
    expect(readHistory([user('Hi'), assistant(blocks)], 'x')).toEqual([
      { user: 'Hi', assistant: 'See\n\n[artifact: A & B]' },
    ]);
  });

  it('scans a text once, regardless of the number of unfinished buttons in it', () => {
    const start = '<button class="artifact-button"';
    const texts = [`${start}>${' '.repeat(5_000_000)}`, start.repeat(200_000)];
    // Looked through again from each beginning this would take hours.
    for (const text of texts)
      expect(readHistory([user('Hi'), assistant(`${text}x`), user('Go on')], 'Go on')).toEqual([]);
    expect(readHistory([user(start.repeat(1_000))], 'x')).toHaveLength(1);
  });

  it('keeps the newest hundred items within the limit of text', () => {
    const many = Array.from({ length: 150 }, (_, i) => [user(`q${i}`), assistant(`a${i}`)]).flat();
    const kept = readHistory(many, 'x');
    expect([kept.length, kept[0]]).toEqual([50, { user: 'q100', assistant: 'a100' }]);
    const long = [user('x'.repeat(399_990)), assistant('old'), user('new'), assistant('answer')];
    expect(readHistory(long, 'x').at(-1)).toEqual({ user: 'new', assistant: 'answer' });
    expect(readHistory(long, 'x')).toHaveLength(2);
  });
});
