import { isDeepStrictEqual } from 'node:util';
import type { ConversationEvent, Snapshot, View } from '#contracts';
import { emptyView, reduce, viewOf } from '#turn';
import type { Seen, StoredConversation } from '../evidence.js';
import type { Finding } from './finding.js';
import type { History, Viewer } from './history.js';

export interface ViewerReport {
  findings: Finding[];
  /** How often somebody's view of a whole conversation was compared. */
  compared: number;
  lostCharacters: number;
  repeatedCharacters: number;
  /** When a viewer was shown something new of a turn. */
  shown: { at: number; turnId: string }[];
}

/** Every viewer, at the end and afresh, sees what the store says. */
export async function judgeViewers(
  history: Pick<History, 'viewers' | 'fresh' | 'store'>,
): Promise<ViewerReport> {
  const expected = new Map(
    history.store.map((stored) => [stored.conversation._id, told(expectedView(stored))] as const),
  );
  const report: ViewerReport = {
    findings: [],
    compared: 0,
    lostCharacters: 0,
    repeatedCharacters: 0,
    shown: [],
  };
  for (const viewer of history.viewers) await judgeViewer(viewer, expected, report);
  for (const { gateway, view } of history.fresh) compare(`a newcomer at ${gateway}`, view, expected, report);
  for (const id of expected.keys())
    if (!history.fresh.some(({ view }) => view.conversation_id === id))
      report.findings.push({ goal: 'transcript difference', what: `${id} was not shown to any newcomer` });
  return report;
}

function expectedView({ conversation, journals }: StoredConversation): View {
  return viewOf(conversation, journals, false);
}

async function judgeViewer(
  { name, seen }: Viewer,
  expected: Map<string, unknown>,
  report: ViewerReport,
): Promise<void> {
  const views = new Map<string, View>();
  const texts = new Texts(report, name);
  for await (const line of seen) {
    if ('left' in line) {
      compare(`viewer ${name}`, views.get(line.left) ?? emptyView(line.left), expected, report);
      views.delete(line.left);
    } else if ('event' in line) {
      take(line, views, report);
      texts.take(line.event);
    }
  }
}

function take(
  { at, event }: Extract<Seen, { event: unknown }>,
  views: Map<string, View>,
  report: ViewerReport,
): void {
  const id = event.conversation_id;
  const before = views.get(id) ?? emptyView(id);
  views.set(id, reduce(before, event));
  if (event.type !== 'snapshot') report.shown.push({ at, turnId: event.turn_id });
}

function compare(who: string, view: View, expected: Map<string, unknown>, report: ViewerReport): void {
  report.compared++;
  const different = firstDifference(told(view), expected.get(view.conversation_id));
  if (different !== undefined)
    report.findings.push({
      goal: 'transcript difference',
      what: `${who}, ${view.conversation_id}: ${different}`,
    });
}

/**
 * What a view tells. Titles are not part of the transcript; and a turn that was stopped before its first step may
 * have begun without anybody having been told.
 */
function told({ conversation_id, turns }: View): unknown {
  const plain = turns.map(({ started_at, ...turn }) =>
    turn.status === 'cancelled' && turn.steps.length === 0 ? turn : { ...turn, started_at },
  );
  return JSON.parse(JSON.stringify({ conversation_id, turns: plain }));
}

interface Text {
  attempt: number;
  length: number;
}

/** Follows the texts of all steps by their tokens' offsets alone. */
class Texts {
  private readonly conversations = new Map<string, Map<string, Text>>();

  constructor(
    private readonly report: ViewerReport,
    private readonly viewer: string,
  ) {}

  take(event: ConversationEvent | Snapshot): void {
    if (event.type === 'snapshot') {
      this.replace(event);
    } else if (event.type === 'token') {
      this.takeToken(event);
    } else if (event.type === 'step_started' || event.type === 'step_restarted') {
      const [texts, key] = [this.textsOf(event), `${event.turn_id}:${event.step}`];
      const before = texts.get(key);
      if (!before || event.attempt > before.attempt) texts.set(key, { attempt: event.attempt, length: 0 });
    }
  }

  /** Another gateway's snapshot may be older than what this viewer held: it takes back whole steps, and their texts. */
  private replace({ conversation_id, view }: Snapshot): void {
    const texts = new Map<string, Text>();
    for (const { turn_id, steps } of view.turns)
      for (const { n, attempt, text } of steps)
        texts.set(`${turn_id}:${n}`, { attempt, length: text.length });
    this.conversations.set(conversation_id, texts);
  }

  private takeToken(token: Extract<ConversationEvent, { type: 'token' }>): void {
    const { turn_id, step, attempt, offset, content } = token;
    const [texts, key] = [this.textsOf(token), `${turn_id}:${step}`];
    const before = texts.get(key);
    const length = before && before.attempt >= attempt ? before.length : 0;
    if (offset !== length) this.miss(key, offset - length);
    if (/^[\uDC00-\uDFFF]/.test(content)) this.split(key);
    texts.set(key, { attempt, length: offset + content.length });
  }

  private textsOf({ conversation_id }: ConversationEvent): Map<string, Text> {
    const texts = this.conversations.get(conversation_id) ?? new Map<string, Text>();
    this.conversations.set(conversation_id, texts);
    return texts;
  }

  private split(key: string): void {
    const what = `viewer ${this.viewer}, step ${key}: got a character in two pieces`;
    this.report.findings.push({ goal: 'characters lost or repeated', what });
  }

  private miss(key: string, characters: number): void {
    if (characters > 0) this.report.lostCharacters += characters;
    else this.report.repeatedCharacters -= characters;
    const what = characters > 0 ? `missed ${characters}` : `got ${-characters} again`;
    this.report.findings.push({
      goal: 'characters lost or repeated',
      what: `viewer ${this.viewer}, step ${key}: ${what}`,
    });
  }
}

/** Where two values part, and what each has there; undefined when they are the same. */
function firstDifference(left: unknown, right: unknown, path = 'view'): string | undefined {
  if (isDeepStrictEqual(left, right)) return undefined;
  const isParent = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  if (isParent(left) && isParent(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = firstDifference(left[name], right[name], `${path}.${name}`);
      if (found !== undefined) return found;
    }
  }
  return `${path} is ${JSON.stringify(left)?.slice(0, 300)}, the store says ${JSON.stringify(right)?.slice(0, 300)}`;
}
