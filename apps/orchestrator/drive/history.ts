import type { Journal, Outcome, Step, Turn } from '#contracts';
import type { Store } from '#store';
import { appendMessages, approvedTools, compacted, messagesOfTurn, type ModelMessage } from '#turn';

interface Entry {
  /** Every turn up to this number is in `messages`. */
  upTo: number;
  /** Only ever appended to (its last element may be replaced), or replaced as a whole: earlier readers keep theirs. */
  messages: ModelMessage[];
  /** Bus names of tools of which a person has approved a call; only ever added to. */
  approved: Set<string>;
  characters: number;
}

/** What turns before another one leave to it. */
export interface Past {
  messages: ModelMessage[];
  /** Bus names of tools of which a person has approved a call. */
  approved: ReadonlySet<string>;
}

/** Turns read at once when a long conversation is cold. */
const PAGE_TURNS = 500;

/**
 * What ended turns look like to the model, kept for the conversations this process works on: a turn costs the same
 * at message 3 and 3,000. Bounded by conversations and by characters, least recently used goes first.
 */
export class History {
  private readonly entries = new Map<string, Entry>();
  private characters = 0;

  constructor(
    private readonly store: Store,
    private readonly limits = { conversations: 2_000, characters: 64 * 1024 * 1024 },
  ) {}

  /** Of all turns before `number`; the caller must not change it. */
  async before(conversationId: string, number: number): Promise<Past> {
    const known = this.entries.get(conversationId);
    // A hint may come late: what is cached of later turns cannot be cut off again.
    const entry =
      known && known.upTo < number
        ? known
        : { upTo: 0, messages: [], approved: new Set<string>(), characters: 0 };
    this.forget(conversationId);
    while (entry.upTo < number - 1) await this.readMore(conversationId, entry, number);
    this.keep(conversationId, entry);
    return entry;
  }

  /** Adds a turn that has just ended here, if it is the next one. */
  append(journal: Journal): void {
    const { conversation_id, number } = journal.turn;
    const entry = this.entries.get(conversation_id);
    if (!entry || entry.upTo !== number - 1) return;
    this.forget(conversation_id);
    for (const tool of approvedTools(journal)) entry.approved.add(tool);
    this.add(entry, journal);
    this.keep(conversation_id, entry);
  }

  /** Forgets a conversation (deleted). */
  forget(conversationId: string): void {
    this.characters -= this.entries.get(conversationId)?.characters ?? 0;
    this.entries.delete(conversationId);
  }

  private async readMore(conversationId: string, entry: Entry, number: number): Promise<void> {
    const until = Math.min(number, entry.upTo + 1 + PAGE_TURNS);
    const range = { after: entry.upTo, before: until };
    const [turns, steps] = await Promise.all([
      this.store.listTurns(conversationId, { before: until, limit: until - 1 - entry.upTo }),
      this.store.listSteps(conversationId, range),
    ]);
    const withCalls = [...new Set(steps.filter((step) => step.calls.length > 0).map((step) => step.turn_id))];
    const outcomes = withCalls.length > 0 ? await this.store.listOutcomes(withCalls) : [];
    const stepsOf = groupBy(steps, (step: Step) => step.turn_id);
    const outcomesOf = groupBy(outcomes, (outcome: Outcome) => outcome.turn_id);
    await this.readApprovals(conversationId, entry, turns, steps);
    for (const turn of turns) {
      this.add(entry, { turn, steps: stepsOf.get(turn._id) ?? [], outcomes: outcomesOf.get(turn._id) ?? [] });
    }
    entry.upTo = until - 1;
  }

  /** Only turns that asked for an approval can have one. */
  private async readApprovals(
    conversationId: string,
    entry: Entry,
    turns: Turn[],
    steps: Step[],
  ): Promise<void> {
    const asking = new Set(steps.filter(asksForApproval).map((step) => step.turn_id));
    if (asking.size === 0) return;
    const wanted = turns.filter((turn) => asking.has(turn._id));
    for (const journal of await this.store.readJournals(conversationId, wanted))
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

  private keep(conversationId: string, entry: Entry): void {
    this.forget(conversationId);
    this.entries.set(conversationId, entry);
    this.characters += entry.characters;
    for (const id of this.entries.keys()) {
      const isOver =
        this.entries.size > this.limits.conversations || this.characters > this.limits.characters;
      if (!isOver || id === conversationId) break;
      this.forget(id);
    }
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
