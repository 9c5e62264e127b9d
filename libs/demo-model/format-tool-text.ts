const MAX_LENGTH = 4_000;
const TITLE_KEYS = ['title', 'name', 'document', 'source', 'file', 'path', 'id'];
const TEXT_KEYS = ['snippet', 'text', 'content', 'passage', 'summary', 'description'];

type Entry = Record<string, unknown>;

/** A tool's text as Markdown: hits as a list, other JSON as a code block, prose as it is. */
export function formatToolText(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null) return cut;
  const hits = findHits(parsed);
  if (!hits) return `\`\`\`json\n${JSON.stringify(parsed, null, 2).slice(0, MAX_LENGTH)}\n\`\`\``;
  return hits.length === 0 ? 'nothing' : hits.map(formatHit).join('\n').slice(0, MAX_LENGTH);
}

/** The list of objects with a title or a text, wherever it stands at the top. */
function findHits(value: object): Entry[] | undefined {
  const lists = [value, ...Object.values(value)].filter((item): item is unknown[] => Array.isArray(item));
  return lists.find((list): list is Entry[] => list.every(isHit));
}

function isHit(item: unknown): item is Entry {
  return (
    typeof item === 'object' && item !== null && [...TITLE_KEYS, ...TEXT_KEYS].some((key) => key in item)
  );
}

function formatHit(hit: Entry): string {
  const title = pick(hit, TITLE_KEYS);
  const body = pick(hit, TEXT_KEYS)?.replace(/\s+/g, ' ');
  const link = typeof hit.url === 'string' && /^https?:/.test(hit.url) ? ` <${hit.url}>` : '';
  return `- ${[title && `**${title}**`, body].filter(Boolean).join(': ')}${link}`;
}

function pick(hit: Entry, keys: string[]): string | undefined {
  const key = keys.find((name) => typeof hit[name] === 'string' || typeof hit[name] === 'number');
  return key === undefined ? undefined : String(hit[key]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
