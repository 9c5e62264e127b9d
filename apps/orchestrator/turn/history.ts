import { LRUCache } from 'lru-cache';
import type { Journal, Outcome, Step } from '#contracts';
import type { Store } from '#store';
import {
  appendMessages,
  approvedTools,
  compacted,
  messagesOfTurn,
  summaryOf,
  type ModelMessage,
} from '#turn';

interface Entry {
  /** Every turn up to this number is in `messages`. */
  upTo: number;
  /**
   * Only appended to (its last element may be replaced) or replaced as a whole, so earlier readers keep their version.
   */
  messages: ModelMessage[];
  /** Bus names of tools of which a person has approved a call; only ever added to. */
  approved: Set<string>;
  /** `approved` covers the turns after this number; 0: all turns. */
  approvalsFrom: number;
  characters: number;
}

/** What earlier turns leave to the next one. */
export interface Past {
  messages: ModelMessage[];
  /** Bus names of tools of which a person has approved a call; without `approvals` perhaps not all. */
  approved: ReadonlySet<string>;
}

/** The limits of one process, for all conversations. */
const LIMITS = { conversations: 2_000, characters: 64 * 1024 * 1024 };

/** The number of turns that are read at once for an uncached conversation; the newest are often enough. */
const PAGE_TURNS = 500;
const FIRST_PAGE_TURNS = 50;

/** The steps of the turns between these numbers, without both ends. */
interface Page {
  after: number;
  before: number;
  steps: Step[];
}

/**
 * Caches ended turns as the model sees them, for the conversations that this process works on, so that a turn costs the
 * same at message 3 and 3,000. The cache is bounded by conversations and by characters; the least recently used goes
 * first.
 */
export class History {
  private readonly entries: LRUCache<string, Entry>;

  constructor(
    private readonly store: Store,
    { conversations, characters: maxSize } = LIMITS,
  ) {
    // A history that is larger than the whole cache is also kept, alone, because it is the most expensive one to read
    // again.
    const sizeCalculation = ({ characters }: Entry) => Math.min(Math.max(1, characters), maxSize);
    this.entries = new LRUCache({ max: conversations, maxSize, sizeCalculation });
  }

  /**
   * The messages of all turns before `number`; the caller must not change them. `approvals`: the tools whose approvals
   * must be known completely.
   */
  async before(
    conversationId: string,
    number: number,
    { approvals = true }: { approvals?: boolean } = {},
  ): Promise<Past> {
    const known = this.entries.get(conversationId);
    // A hint may arrive late, and the later turns in the cache cannot be cut off.
    const entry =
      known && known.upTo < number
        ? known
        : { upTo: 0, messages: [], approved: new Set<string>(), approvalsFrom: 0, characters: 0 };
    this.entries.delete(conversationId);
    if (entry.upTo < number - 1) await this.readOn(conversationId, entry, number);
    if (approvals) await this.readEarlierApprovals(conversationId, entry);
    this.entries.set(conversationId, entry);
    return entry;
  }

  /** Adds a turn that has just ended here, if it is the next one. */
  append(journal: Journal): void {
    const { conversation_id, number } = journal.turn;
    const entry = this.entries.get(conversation_id);
    if (!entry || entry.upTo !== number - 1) return;
    this.entries.delete(conversation_id);
    for (const tool of approvedTools(journal)) entry.approved.add(tool);
    this.add(entry, journal);
    this.entries.set(conversation_id, entry);
  }

  /** Forgets a conversation (deleted). */
  forget(conversationId: string): void {
    this.entries.delete(conversationId);
  }

  /** Turns before the last summary are not read, because the summary replaces them. */
  private async readOn(conversationId: string, entry: Entry, number: number): Promise<void> {
    const { pages, from } = await this.findSteps(conversationId, { after: entry.upTo, before: number });
    if (from - 1 > entry.upTo) {
      Object.assign(entry, { messages: [], characters: 0, upTo: from - 1, approvalsFrom: from - 1 });
    }
    for (const page of pages) await this.readPage(conversationId, entry, page);
  }

  /**
   * Reads from the newest turn back to the last summary, or to the end of the range. `from`: the first turn that is
   * needed.
   */
  private async findSteps(
    conversationId: string,
    range: { after: number; before: number },
  ): Promise<{ pages: Page[]; from: number }> {
    const pages: Page[] = [];
    let size = FIRST_PAGE_TURNS;
    for (let { before } = range; before - 1 > range.after; size = Math.min(2 * size, PAGE_TURNS)) {
      const after = Math.max(range.after, before - 1 - size);
      const steps = await this.store.listSteps(conversationId, { after, before });
      const from = steps.findLast((step) => (summaryOf(step) ?? '') !== '')?.turn_number;
      const needed = from === undefined ? steps : steps.filter((step) => step.turn_number >= from);
      pages.unshift({ after: from === undefined ? after : from - 1, before, steps: needed });
      if (from !== undefined) return { pages, from };
      before = after + 1;
    }
    return { pages, from: range.after + 1 };
  }

  private async readPage(conversationId: string, entry: Entry, page: Page): Promise<void> {
    const { after, before, steps } = page;
    const withCalls = [...new Set(steps.filter((step) => step.calls.length > 0).map((step) => step.turn_id))];
    const [turns, outcomes] = await Promise.all([
      this.store.listTurns(conversationId, { before, limit: before - 1 - after }),
      withCalls.length > 0 ? this.store.listOutcomes(withCalls) : [],
      this.readApprovals(entry, steps),
    ]);
    const stepsOf = groupBy(steps, (step: Step) => step.turn_id);
    const outcomesOf = groupBy(outcomes, (outcome: Outcome) => outcome.turn_id);
    for (const turn of turns) {
      this.add(entry, { turn, steps: stepsOf.get(turn._id) ?? [], outcomes: outcomesOf.get(turn._id) ?? [] });
    }
    entry.upTo = before - 1;
  }

  /** The approvals in the turns that were not read for their messages. */
  private async readEarlierApprovals(conversationId: string, entry: Entry): Promise<void> {
    while (entry.approvalsFrom > 0) {
      const after = Math.max(0, entry.approvalsFrom - PAGE_TURNS);
      const range = { after, before: entry.approvalsFrom + 1 };
      await this.readApprovals(entry, await this.store.listSteps(conversationId, range));
      entry.approvalsFrom = after;
    }
  }

  /** Only turns that asked for an approval can have one. */
  private async readApprovals(entry: Entry, steps: Step[]): Promise<void> {
    const asking = new Set(steps.filter(asksForApproval).map((step) => step.turn_id));
    if (asking.size === 0) return;
    for (const journal of await this.store.readJournalsOf([...asking]))
      for (const tool of approvedTools(journal)) entry.approved.add(tool);
  }

  private add(entry: Entry, journal: Pick<Journal, 'turn' | 'steps' | 'outcomes'>): void {
    const before = compacted(entry.messages, journal.steps);
    if (before !== entry.messages) {
      entry.messages = before;
      entry.characters = countCharacters(before);
    }
    const messages = messagesOfTurn(journal);
    appendMessages(entry.messages, messages);
    entry.characters += countCharacters(messages);
    entry.upTo = journal.turn.number;
  }
}

function asksForApproval({ calls }: Step): boolean {
  return calls.some(({ approval }) => approval === 'required');
}

function groupBy<T>(rows: T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

function countCharacters(messages: ModelMessage[]): number {
  let count = 0;
  for (const message of messages) for (const item of message.content) count += JSON.stringify(item).length;
  return count;
}
