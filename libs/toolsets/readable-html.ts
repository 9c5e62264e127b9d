import { Parser } from 'htmlparser2';

const HIDDEN = new Set(
  'script style noscript template svg iframe object canvas head select textarea'.split(' '),
);
const BLOCKS = new Set(
  (
    'address article aside blockquote body br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 ' +
    'h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
const HEADING = /^h[1-6]$/;
/** True for more than the marks of headings, lists and tables. */
const HAS_WORDS = /[^#\-| ]/;

/** The parser's work per tag grows with the number of open elements; browsers have such a limit too. */
const MAX_OPEN = 1_000;

export interface ReadableText {
  title: string;
  text: string;
  /** The page nests deeper than any honest one, so only the part before that was read. */
  isCut: boolean;
}

/**
 * The text of a page, one line for each block, with headings marked with `#`; links keep their address. Linear time.
 */
export function toReadableText(html: string, base: URL): ReadableText {
  const reader = new Reader(base);
  const parser = new Parser(reader, { decodeEntities: true, lowerCaseTags: true });
  let isCut = false;
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    isCut = true;
  }
  return { title: tidyLine(reader.title), text: reader.text(), isCut };
}

class TooDeepError extends Error {}

class Reader {
  title = '';
  private parts: string[] = [];
  private hidden: string[] = [];
  private links: (string | undefined)[] = [];
  private isTitle = false;
  private open = 0;

  constructor(private readonly base: URL) {}

  onopentag(name: string, { href }: Record<string, string>): void {
    if (++this.open > MAX_OPEN) throw new TooDeepError();
    if (name === 'title') this.isTitle = this.title === '';
    if (HIDDEN.has(name)) this.hidden.push(name);
    if (BLOCKS.has(name)) this.parts.push('\n');
    if (HEADING.test(name)) this.parts.push(`${'#'.repeat(Number(name[1]))} `);
    if (name === 'li') this.parts.push('- ');
    if (name === 'td' || name === 'th') this.parts.push(' | ');
    if (name === 'a') this.links.push(this.targetOf(href));
  }

  ontext(text: string): void {
    if (this.isTitle) this.title += text;
    else if (this.hidden.length === 0) this.parts.push(text.replace(/[\s\p{Cc}]+/gu, ' '));
  }

  onclosetag(name: string): void {
    this.open--;
    if (name === 'title') this.isTitle = false;
    if (this.hidden.at(-1) === name) this.hidden.pop();
    if (BLOCKS.has(name)) this.parts.push('\n');
    if (name !== 'a') return;
    const target = this.links.pop();
    if (target !== undefined && this.hidden.length === 0) this.parts.push(` (${target})`);
  }

  text(): string {
    const lines = this.parts.join('').split('\n').map(tidyLine);
    return lines.filter((line) => HAS_WORDS.test(line)).join('\n');
  }

  /** The target of a link; undefined for links within the page, to scripts or to data. */
  private targetOf(href: string | undefined): string | undefined {
    if (href === undefined || href.startsWith('#') || !URL.canParse(href, this.base.href)) return undefined;
    const { protocol, href: target } = new URL(href, this.base);
    return /^https?:$/.test(protocol) && target.length <= 500 ? target : undefined;
  }
}

function tidyLine(line: string): string {
  return line.replace(/ {2,}/g, ' ').trim();
}
