/** What somebody asks of one of the small built-in tools. */
export interface Wish {
  toolset: 'time' | 'memory' | 'http';
  tool: string;
  arguments: Record<string, string>;
  /** As the rest of "I will …". */
  does: string;
}

const TIME =
  /\bwhat(?:\s+(?:time|day|date)\s+is\s+it|(?:['’]s|\s+is)\s+the\s+(?:current\s+)?(?:time|date))\b(?:\s+(?:right\s+)?now)?(?:\s+in\s+(.+?))?(?:\s+(?:right\s+)?now)?[\s?.!]*$/i;
const REMEMBER = /^(?:please\s+)?remember(?:\s+(?:that|this))?:?\s+(.+?)[\s.!]*$/is;
const RECALL =
  /\bwhat\s+do\s+you\s+(?:remember|know)(?:\s+about\s+(?!this\b|the\s+conversation)(.+?))?[\s?.!]*$/is;
const FORGET = /^(?:please\s+)?forget\s+(?:about\s+)?(.+?)[\s.!]*$/is;
const FETCH =
  /\b(?:fetch|open|read|visit|load)\s+(?:the\s+)?(?:(?:page|site|url|address)\s+)?(?:at\s+)?(https?:\/\/\S+)/i;

/** The wish in a text, or why it cannot be granted. */
export function parseWish(text: string): Wish | { problem: string } | undefined {
  const time = TIME.exec(text);
  if (time) return tellTime(time[1]);
  const remembered = REMEMBER.exec(text)?.[1];
  if (remembered) {
    const fact = { key: keyOf(remembered), text: remembered };
    return { toolset: 'memory', tool: 'remember', arguments: fact, does: 'remember this' };
  }
  const recall = RECALL.exec(text);
  if (recall) {
    const asked: Record<string, string> = recall[1] ? { query: recall[1] } : {};
    return { toolset: 'memory', tool: 'recall', arguments: asked, does: 'look up what I remember' };
  }
  const forgotten = FORGET.exec(text)?.[1];
  if (forgotten) {
    const key = keyOf(forgotten);
    return { toolset: 'memory', tool: 'forget', arguments: { key }, does: `forget “${key}”` };
  }
  const url = FETCH.exec(text)?.[1]?.replace(/[.,;!?)]+$/, '');
  return url ? { toolset: 'http', tool: 'fetch', arguments: { url }, does: `read ${url}` } : undefined;
}

function tellTime(place: string | undefined): Wish | { problem: string } {
  const does = 'look at the clock';
  if (!place) return { toolset: 'time', tool: 'now', arguments: {}, does };
  const wanted = place.trim().toLowerCase().replace(/\s+/g, '_');
  const time_zone = Intl.supportedValuesOf('timeZone').find(
    (zone) => zone.toLowerCase() === wanted || zone.toLowerCase().split('/').at(-1) === wanted,
  );
  return time_zone
    ? { toolset: 'time', tool: 'now', arguments: { time_zone }, does }
    : { problem: `I know no time zone for “${place}”: name one like \`Europe/Berlin\`.` };
}

/** "my cat is called Tom" is about the cat. */
function keyOf(text: string): string {
  const subject = text.split(/\s+(?:is|are|was|were|has|have|likes?|=)\s+/i)[0]!;
  return subject
    .replace(/^(?:my|the|our)\s+/i, '')
    .slice(0, 100)
    .trim();
}

/** What came of it, for the person; undefined for a text that is not what the tool usually says. */
export function describeGranted({ tool }: Wish, text: string): string | undefined {
  const data = parseObject(text);
  if (tool === 'now' && typeof data?.readable === 'string')
    return `It is **${data.readable}** (${String(data.time_zone)}).`;
  if (tool !== 'recall' || !Array.isArray(data?.facts)) return undefined;
  const facts = data.facts as { key: string; text: string }[];
  if (facts.length === 0) return 'I remember nothing about that.';
  return `I remember:\n\n${facts.map((fact) => `- ${fact.text}`).join('\n')}`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
