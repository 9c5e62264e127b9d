import { isObject } from '#contracts';
import { foldHistory, type Exchange, type SaidMessage } from '../../turns/fold-history.js';

/** An item of `history`, in the front end's format. */
export interface HistoryItem {
  role: string;
  content: unknown;
}

/** Only the newest ones are kept: each exchange of an unknown history is written. */
const MAX_ITEMS = 100;
const MAX_LENGTH = 400_000;
/** The text in place of an answer that is missing or has not arrived. */
const PLACEHOLDER = /^_(Status:|Error:)[^\n]*_$|^_Processing your request\.\.\._$/;
/** No two parts of it match the same characters, so a text of any length is scanned once. */
const BUTTON = /<button class="artifact-button"[^<>]*>([^<]*)<\/button>/g;

/** All exchanges before `message`, which is usually the last item as well. */
export function historyMessages(items: readonly HistoryItem[], message: string): SaidMessage[] {
  const said = items.flatMap(({ role, content }): SaidMessage[] => {
    if (role !== 'user' && role !== 'assistant') return [];
    const text = textOf(content).replace(
      BUTTON,
      (_button, title: string) => `[artifact: ${unescape(title.trim().replace('📎', '')).trim()}]`,
    );
    const isPlaceholder = role === 'assistant' && PLACEHOLDER.test(text.trim());
    return text.trim() === '' || isPlaceholder ? [] : [{ role, text }];
  });
  const last = said.at(-1);
  if (last?.role === 'user' && last.text.trim() === message.trim()) said.pop();
  return said;
}

/** The part of it that is worth writing. */
export function newestExchanges(said: readonly SaidMessage[]): Exchange[] {
  let length = 0;
  const first = said.findLastIndex(({ text }, i) => {
    length += text.length;
    return length > MAX_LENGTH || said.length - i > MAX_ITEMS;
  });
  return foldHistory(said.slice(first + 1));
}

/** Only the text of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as unknown[])
    .flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n\n');
}

const CHARACTERS: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function unescape(html: string): string {
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity]!);
}
