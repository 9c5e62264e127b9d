export interface WebResult {
  snippet: string;
  title: string;
  link: string;
}

const MAX_RESULTS = 10;
const MAX_TITLE_LENGTH = 300;
const MAX_SNIPPET_LENGTH = 1000;

/** The results of DuckDuckGo's page without scripts; undefined if the page is something else (a captcha). */
export function parseResultsPage(html: string): WebResult[] | undefined {
  const results: WebResult[] = [];
  // Each result begins with its title's link; what follows up to the next one is its snippet.
  const [head = '', ...parts] = html.split(/<a\b(?=[^>]*\bclass="[^"]*\bresult__a\b)/);
  for (const part of parts) {
    const link = toTarget(/^[^>]*\bhref="([^"]*)"/.exec(part)?.[1]);
    const title = toText(part.slice(part.indexOf('>') + 1, endOf(part, '</a>')), MAX_TITLE_LENGTH);
    if (link !== undefined && title !== '') results.push({ snippet: findSnippet(part), title, link });
    if (results.length === MAX_RESULTS) break;
  }
  const isResultsPage = results.length > 0 || /\bclass="[^"]*\bno-results\b/.test(head);
  return isResultsPage ? results : undefined;
}

function findSnippet(part: string): string {
  const start = /<(a|div|span|td)\b[^>]*\bclass="[^"]*\bresult__snippet\b[^>]*>/.exec(part);
  if (!start) return '';
  const rest = part.slice(start.index + start[0].length);
  return toText(rest.slice(0, endOf(rest, `</${start[1]}>`)), MAX_SNIPPET_LENGTH);
}

/** Links lead through a redirect that carries the target; advertisements lead elsewhere and are left out. */
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
  const text = decodeEntities(html.replace(/<[^>]*>/g, ''));
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

function endOf(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at < 0 ? text.length : at;
}
