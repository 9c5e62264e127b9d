import type { TimelineEntry, TurnTimeline } from '#contracts';
import { formatBytes } from '../format/bytes.js';
import { countOf, formatClock, formatDuration, formatElapsed, formatNumber } from '../format/durations.js';
import { shortId } from './short-id.js';

/** A longer silence is a line of its own. */
const GAP_MS = 10_000;

export interface TimelineLine {
  /** What happened; `code` is a name in front of it. */
  code?: string;
  text: string;
  facts: string;
  /** `14:02:47` for the first one, `+ 2.41 s` after it. */
  time: string;
  kind: 'began' | 'ended' | 'gap' | 'now' | 'then';
}

/** The timeline as lines, with the silences between, where it stands now, and what follows if nothing changes. */
export function linesOf(turn: TurnTimeline, nowMs: number): TimelineLine[] {
  const { timeline, waiting } = turn;
  const names = new Map(timeline.flatMap(nameOf));
  const firstMs = Date.parse(timeline[0]?.at ?? turn.at);
  const lines: TimelineLine[] = [];
  let beforeMs = firstMs;
  for (const entry of timeline) {
    const atMs = Date.parse(entry.at);
    if (atMs - beforeMs >= GAP_MS) lines.push(gapOf(atMs - beforeMs));
    const time = lines.length === 0 ? formatClock(entry.at) : `+ ${formatDuration(atMs - firstMs)}`;
    lines.push({ ...lineOf(entry, names), time });
    beforeMs = atMs;
  }
  if (!waiting) return lines;
  if (nowMs - beforeMs >= GAP_MS) lines.push(gapOf(nowMs - beforeMs));
  return [...lines, ...endingsOf(turn, nowMs)];
}

type Said = [text: string, kind: TimelineLine['kind']];

/** In front of what is said of a call stands its name. */
const SAYINGS: Record<TimelineEntry['what'], (entry: TimelineEntry, about: About) => Said> = {
  message: () => ['Message stored, turn begins', 'began'],
  taken_up: ({ attempt = 1 }, { evidence }) => [takenUp(attempt, evidence), 'ended'],
  step: ({ step }, { kind }) => [`Step ${step} written${kind === 'model' ? '' : `: ${kind}`}`, 'ended'],
  call: ({ step }) => [`asked for in step ${step}`, 'began'],
  call_claimed: ({ attempt = 1 }, { purpose }) => [
    purpose === 'settle' ? 'will not run any more' : `taken, attempt ${attempt}`,
    'began',
  ],
  call_ended: (_, { status }) => [status === 'success' ? 'done' : `ended: ${status}`, 'ended'],
  question: () => ['asks a question', 'began'],
  answer: (_, { action = 'accept' }) => [`answered: ${action}`, 'ended'],
  approval: (_, { decision }) => [decision === 'approve' ? 'approved' : 'denied', 'ended'],
  dead_letter: () => ['A message about it could not be delivered', 'ended'],
};

type About = NonNullable<TimelineEntry['about']>;

function lineOf(entry: TimelineEntry, names: ReadonlyMap<string, string>): Omit<TimelineLine, 'time'> {
  const { what, tool_call_id, about = {} } = entry;
  const [text, kind] = SAYINGS[what](entry, about);
  const code = tool_call_id === undefined ? undefined : (names.get(tool_call_id) ?? tool_call_id);
  return { ...(code === undefined ? {} : { code }), text, facts: factsOf(entry), kind };
}

function takenUp(attempt: number, evidence: About[string] | undefined): string {
  if (attempt === 1) return 'Taken up';
  return evidence === undefined ? `Taken over, attempt ${attempt}` : `Taken over: ${evidence}`;
}

const IN_THE_TEXT = new Set(['tool_name', 'evidence', 'decision', 'action', 'purpose', 'status', 'kind']);
/** What is usual is not worth a word. */
const USUAL = new Set<unknown>(['tool_use', 'end_turn', 'none', 0, false]);
const NUMBERS: Record<string, (value: number) => string> = {
  bytes: formatBytes,
  duration_ms: (value) => `ran ${formatDuration(value)}`,
  timeout_ms: (value) => `limit ${formatDuration(value)}`,
  calls: (value) => countOf(value, 'call'),
  artifacts: (value) => countOf(value, 'artifact'),
  input_tokens: (value) => `${countOf(value, 'token')} in`,
  output_tokens: (value) => `${formatNumber(value)} out`,
  cached_tokens: (value) => `${formatNumber(value)} cached`,
};
/** Their values say what they are. */
const NAMELESS = new Set(['class', 'model', 'error_type']);

function factsOf({ by, about = {} }: TimelineEntry): string {
  const facts = Object.entries(about).flatMap(([name, value]) =>
    IN_THE_TEXT.has(name) || USUAL.has(value) ? [] : [factOf(name, value)],
  );
  return [...(by === undefined ? [] : [shortId(by)]), ...facts].join(' · ');
}

function factOf(name: string, value: string | number | boolean): string {
  const words = name.replaceAll('_', ' ');
  if (typeof value === 'boolean') return words.replace(/^is /, '');
  if (typeof value === 'number') return NUMBERS[name]?.(value) ?? `${words} ${formatNumber(value)}`;
  return NAMELESS.has(name) ? value : `${words} ${value}`;
}

function nameOf({ what, tool_call_id, about }: TimelineEntry): [string, string][] {
  const name = about?.tool_name;
  return what === 'call' && tool_call_id && typeof name === 'string' ? [[tool_call_id, name]] : [];
}

function gapOf(ms: number): TimelineLine {
  return { text: `${formatElapsed(ms)} without a change`, facts: '', time: '', kind: 'gap' };
}

function endingsOf({ waiting }: TurnTimeline, nowMs: number): TimelineLine[] {
  if (!waiting) return [];
  const { tool_name, process, queue, until } = waiting;
  const untilMs = until === undefined ? undefined : Date.parse(until) - nowMs;
  const facts = [
    ...(process === undefined ? [] : [shortId(process)]),
    ...(queue?.calls === undefined ? [] : [`${countOf(queue.calls, 'call')} in its queue`]),
    ...(untilMs === undefined
      ? []
      : [untilMs > 0 ? `given up in ${formatElapsed(untilMs)}` : 'its time is over']),
  ];
  const text = waiting.reason.replaceAll('_', ' ');
  const now: TimelineLine = { text, facts: facts.join(' · '), time: 'now', kind: 'now' };
  const startsMs = waiting.reason === 'queued' ? queue?.estimate_ms : undefined;
  return [
    tool_name === undefined ? now : { ...now, code: tool_name },
    ...(startsMs === undefined
      ? []
      : [
          {
            text: 'Starts, at the present rate',
            facts: '',
            time: `≈ ${formatClock(nowMs + startsMs)}`,
            kind: 'then' as const,
          },
        ]),
  ];
}
