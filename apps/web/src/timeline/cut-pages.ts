import { countOf, formatNumber } from '../format/durations.js';

const LINES_PER_PAGE = 200;
/** A single line may have megabytes. */
const LENGTH_PER_PAGE = 20_000;

export interface Pages {
  shown: string;
  /** How much of the text that is; undefined for all of it. */
  extent?: string;
  /** What shows the next page. */
  more: string;
}

/** The beginning of a long text: pages of 200 lines, or of 20,000 characters where lines are long. */
export function cutPages(text: string, pages: number): Pages {
  let end = 0;
  for (let page = 0; page < pages && end < text.length; page++) end = endOfPage(text, end);
  const shown = text.slice(0, end);
  if (end === text.length) return { shown, more: '' };
  const next = text.slice(end, endOfPage(text, end));
  if (!shown.endsWith('\n'))
    return {
      shown,
      extent: `${formatNumber(end)} of ${countOf(text.length, 'character')}`,
      more: 'Show more',
    };
  const extent = `Lines 1–${formatNumber(linesIn(shown))} of ${formatNumber(linesIn(text))}`;
  return { shown, extent, more: `Show ${linesIn(next)} more` };
}

function endOfPage(text: string, from: number): number {
  let end = from;
  for (let line = 0; line < LINES_PER_PAGE && end < text.length; line++) {
    const at = text.indexOf('\n', end);
    const next = at === -1 ? text.length : at + 1;
    if (next - from > LENGTH_PER_PAGE) return end > from ? end : cutLine(text, from + LENGTH_PER_PAGE);
    end = next;
  }
  return end;
}

/** Not between the halves of a character. */
function cutLine(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at;
}

function linesIn(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
