export interface WebResult {
  snippet: string;
  title: string;
  link: string;
}

const MAX_RESULTS = 10;
const MAX_TITLE_LENGTH = 300;
const MAX_SNIPPET_LENGTH = 1000;

/**
 * A tag of the three kinds that titles and snippets have. It contains no `<`, so the search stays linear on any page.
 */
const TAG = /<(a|div|span)\b([^<>]*)>/g;

/** The results of DuckDuckGo's page without scripts; undefined if the page is something else (a captcha). */
export function parseResultsPage(html: string): WebResult[] | undefined {
  const results: WebResult[] = [];
  let isResultsPage = false;
  for (const match of html.matchAll(TAG)) {
    const [tag, element = '', attributes = ''] = match;
    const classes = attributeOf(attributes, 'class')?.split(/\s+/) ?? [];
    const read = (maxLength: number) => textAt(html, match.index + tag.length, element, maxLength);
    if (classes.includes('no-results')) isResultsPage = true;
    if (classes.includes('result__a')) {
      isResultsPage = true;
      const link = toTarget(attributeOf(attributes, 'href'));
      // An entry without a link keeps its snippet from being added to the entry before it.
      results.push({ snippet: '', title: read(MAX_TITLE_LENGTH), link: link ?? '' });
    } else if (classes.includes('result__snippet')) {
      const last = results.at(-1);
      if (last) last.snippet ||= read(MAX_SNIPPET_LENGTH);
    }
  }
  const usable = results.filter(({ title, link }) => title !== '' && link !== '');
  return isResultsPage ? usable.slice(0, MAX_RESULTS) : undefined;
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
}

const MAX_ELEMENT_LENGTH = 10_000;

function textAt(html: string, start: number, element: string, maxLength: number): string {
  const part = html.slice(start, start + MAX_ELEMENT_LENGTH);
  const end = part.indexOf(`</${element}`);
  return toText(end < 0 ? part : part.slice(0, end), maxLength);
}

/** Links lead through a redirect that contains the target; advertisements lead elsewhere and are left out. */
function toTarget(href: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  try {
    const url = new URL(decodeEntities(href), 'https://duckduckgo.com');
    const isOwn = /(^|\.)duckduckgo\.com$/.test(url.hostname);
    if (isOwn && url.pathname !== '/l/') return undefined;
    const target = isOwn ? new URL(url.searchParams.get('uddg') ?? '') : url;
    return /^https?:$/.test(target.protocol) ? target.href : undefined;
  } catch {
    return undefined;
  }
}

function toText(html: string, maxLength: number): string {
  const text = decodeEntities(html.replace(/<[^<>]*>/g, ''));
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,6}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
