import { switchIdOf, switchSchema, type Conversation, type Journal, type Turn } from '#contracts';
import { StoreSetupError, StoreUnavailableError, type Store } from '#store';
import { yieldToEventLoop, type Clock } from '#time';
import { brokenInTurn, endingStep, isTakenUpEarly, unreadableRows, type Broken, type Invariant } from '#turn';

/** Of one page: what is read for it is in memory for a few turns at a time only. */
const PAGE = 500;
const TURNS_AT_ONCE = 50;
const BYTES_AT_ONCE = 2 * 1024 * 1024;
const IDS_AT_ONCE = 100;
/** A call may run for hours after the conversation was deleted. */
const DELETED_MS = 24 * 3_600_000;

type VerifiedStore = Pick<
  Store,
  | 'time'
  | 'listConversationIds'
  | 'getConversation'
  | 'listTurns'
  | 'listUnendedTurns'
  | 'readJournal'
  | 'readJournals'
  | 'listSwitches'
>;

/** Something in the store that must not be. Ids only. */
export interface BrokenInvariant extends Broken {
  /** Absent when it concerns no conversation. */
  conversation_id?: string;
  /** Absent when it concerns the conversation. */
  turn_id?: string;
}

/** Where a page begins: below turn `before` of this conversation, or, without it, at the conversation after this one. */
export interface VerifyPosition {
  conversation: string;
  before?: number;
}

export interface VerifiedPage {
  conversations: number;
  turns: number;
  broken: BrokenInvariant[];
  /** Absent: everything was checked. */
  next?: VerifyPosition;
}

/**
 * Checks some 500 conversations or turns against the invariants, and changes nothing; the first page has the switches,
 * too. Conversations come by their ids, their turns newest first. What seems broken is read a second time, because it
 * may have been changing.
 */
export async function verifyPage(
  store: VerifiedStore,
  clock: Pick<Clock, 'soon'>,
  from: VerifyPosition,
): Promise<VerifiedPage> {
  const isFirst = from.conversation === '';
  const page: VerifiedPage = {
    conversations: 0,
    turns: 0,
    broken: isFirst ? await unreadableSwitches(store) : [],
  };
  let position: VerifyPosition = from;
  let ids: string[] = [];
  while (page.conversations + page.turns < PAGE) {
    if (position.before === undefined) {
      if (ids.length === 0)
        ids = await store.listConversationIds({ after: position.conversation, limit: IDS_AT_ONCE });
      const conversation = ids.shift();
      if (conversation === undefined) return page;
      page.conversations++;
      position = { conversation, before: Infinity };
    }
    position = await verifyTurns(store, position as Required<VerifyPosition>, page);
    // A store in this process answers at once, and would let no other work run.
    await yieldToEventLoop(clock);
  }
  return { ...page, next: position };
}

/** A process that starts does not obey them, and may not read the others either. */
async function unreadableSwitches(store: VerifiedStore): Promise<BrokenInvariant[]> {
  const rows = await store.listSwitches().catch((error: unknown) => {
    // A store of an earlier version has no switches; `switchyard doctor` finds a collection that is missing.
    if (error instanceof StoreSetupError) return [];
    return unreadable(error);
  });
  if (!rows) return [{ invariant: 'readable', row: 'switches' }];
  const isReadable = (row: unknown) => {
    const { success, data } = switchSchema.safeParse(row);
    return success && data._id === switchIdOf(data.kind, data.name);
  };
  return rows
    .filter((row) => !isReadable(row))
    .map(({ _id }) => ({ invariant: 'readable', row: `switches ${_id}` }));
}

/** Adds what a few turns break to the page, and returns where to go on. */
async function verifyTurns(
  store: VerifiedStore,
  { conversation, before }: Required<VerifyPosition>,
  page: VerifiedPage,
): Promise<VerifyPosition> {
  const checker = new ConversationChecker(store, conversation);
  try {
    const { broken, turns } = await checker.check(before);
    page.broken.push(...broken);
    page.turns += turns.length;
    const first = turns[0]?.number ?? 1;
    return first > 1 ? { conversation, before: first } : { conversation };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    // A row of it is not what any version writes, and the store does not say which.
    page.broken.push({ invariant: 'readable', row: conversation, conversation_id: conversation });
    return { conversation };
  }
}

/** Reads the turns of one conversation. */
class ConversationChecker {
  constructor(
    private readonly store: VerifiedStore,
    private readonly id: string,
  ) {}

  /** The newest turns below `before`, a few of them. */
  async check(before: number): Promise<{ broken: BrokenInvariant[]; turns: Turn[] }> {
    const conversation = await this.store.getConversation(this.id);
    if (!conversation) return { broken: [], turns: [] };
    if (conversation.deleted_at !== undefined) return this.checkDeleted(conversation);
    const page = { limit: TURNS_AT_ONCE, bytes: BYTES_AT_ONCE };
    const turns = await this.store.listTurns(this.id, before === Infinity ? page : { ...page, before });
    const broken = [...(await this.brokenIn(turns)), ...this.gapsIn(turns, before)];
    return { broken: broken.length === 0 ? [] : await this.confirmed(broken), turns };
  }

  private async checkDeleted({
    deleted_at,
  }: Conversation): Promise<{ broken: BrokenInvariant[]; turns: [] }> {
    const ageMs = (await this.store.time()) - Date.parse(deleted_at!);
    const isOld = ageMs > DELETED_MS;
    const left = isOld ? await this.store.listTurns(this.id, { limit: 1, bytes: 1 }) : [];
    return { broken: left.map(() => this.broken('deleted_is_removed')), turns: [] };
  }

  private async brokenIn(turns: Turn[]): Promise<BrokenInvariant[]> {
    const journals = await this.readJournals(turns);
    // Read last: of a turn that was seen claimed, all earlier ones have ended by now.
    const firstOpen = await this.firstOpen();
    return turns.flatMap(({ _id }) => this.brokenInJournal(_id, journals.get(_id), firstOpen));
  }

  private brokenInJournal(
    turnId: string,
    journal: Journal | undefined,
    firstOpen: Turn | undefined,
  ): BrokenInvariant[] {
    if (!journal) return [this.broken('readable', turnId)];
    const broken = brokenInTurn(journal).map(({ invariant, row }) => this.broken(invariant, turnId, row));
    return isTakenUpEarly(journal, firstOpen)
      ? [...broken, this.broken('one_turn_at_a_time', turnId)]
      : broken;
  }

  /**
   * What a second reading of its turn shows, too. The rows of a turn are read in parallel, so one may show what was
   * written after another was read. A later reading has both, unless one is missing.
   */
  private async confirmed(broken: BrokenInvariant[]): Promise<BrokenInvariant[]> {
    const turnIds = [...new Set(broken.flatMap(({ turn_id }) => turn_id ?? []))];
    const again: BrokenInvariant[] = [];
    for (const turnId of turnIds) {
      const journal = await this.store.readJournal(turnId).catch(unreadable);
      if (journal !== null) again.push(...this.brokenInJournal(turnId, journal, await this.firstOpen()));
    }
    const conversation = await this.store.getConversation(this.id);
    if (!conversation || conversation.deleted_at !== undefined) return [];
    return broken.filter((one) => one.turn_id === undefined || again.some((other) => isSame(one, other)));
  }

  /** Those that can be read, by turn. */
  private async readJournals(turns: Turn[]): Promise<Map<string, Journal>> {
    const read = async (some: Turn[]) => this.store.readJournals(this.id, some);
    const journals = await read(turns).catch(unreadable);
    if (journals) return byTurn(journals);
    const each: Journal[] = [];
    for (const turn of turns) each.push(...((await read([turn]).catch(unreadable)) ?? []));
    return byTurn(each);
  }

  /** The first turn that has not ended. */
  private async firstOpen(): Promise<Turn | undefined> {
    const unended = await this.store.listUnendedTurns(this.id, BYTES_AT_ONCE);
    const journals = await this.readJournals(unended);
    return unended.find(({ _id }) => {
      const journal = journals.get(_id);
      return journal && unreadableRows(journal).length === 0 && !endingStep(journal);
    });
  }

  /** Turns come by number: the last one is just below `before`, and none is left when the first one has number 1. */
  private gapsIn(turns: Turn[], before: number): BrokenInvariant[] {
    const numbers = [...turns.map(({ number }) => number), ...(before === Infinity ? [] : [before])];
    const isWhole = turns.length > 0 || before === Infinity;
    const isInOrder = numbers.every((number, i) => i === 0 || number === numbers[i - 1]! + 1);
    return isWhole && isInOrder ? [] : [this.broken('turns_in_order')];
  }

  private broken(invariant: Invariant, turn_id?: string, row = turn_id ?? this.id): BrokenInvariant {
    return { invariant, row, conversation_id: this.id, ...(turn_id !== undefined && { turn_id }) };
  }
}

/** For `catch`: a row that no version has written must not hide the others, as an outage does. */
function unreadable(error: unknown): undefined {
  if (error instanceof StoreUnavailableError) throw error;
}

function byTurn(journals: Journal[]): Map<string, Journal> {
  return new Map(journals.map((journal) => [journal.turn._id, journal]));
}

function isSame(one: BrokenInvariant, other: BrokenInvariant): boolean {
  return one.invariant === other.invariant && one.row === other.row && one.turn_id === other.turn_id;
}
