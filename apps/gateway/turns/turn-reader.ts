import {
  plainText,
  toolCallIdSchema,
  type Call,
  type CallView,
  type Journal,
  type Outcome,
  type Replay,
  type TurnView,
} from '#contracts';
import { OneByOne } from '#limits';
import type { Store } from '#store';
import { yieldToEventLoop, type Clock } from '#time';
import { callViewOf, outcomeOf, replayOf, turnViewOf } from '#turn';
import type { User } from '../people/auth/user.js';
import { notFound } from '../errors/request-error.js';
import { MAX_PAGE_BYTES, readNewestViews } from '../feeds/newest-turns.js';
import { listMessages, type MessageBody, type MessagesPage } from './messages.js';
import type { Ownership } from './ownership.js';

/** The fields of a call that may be long, in full. */
export type WholeCall = Pick<CallView, 'args' | 'result'>;

/** Reads conversations and turns for HTTP, from the journal. */
export class TurnReader {
  private readonly lines = new OneByOne();

  constructor(
    private readonly store: Store,
    private readonly ownership: Ownership,
    private readonly clock: Pick<Clock, 'soon'>,
  ) {}

  /** The newest turns with a number below `before`, oldest first: at most 1 MiB, but one in any case. */
  async page(
    user: User,
    conversationId: string,
    { before, limit }: { before: number; limit: number },
  ): Promise<{ turns: TurnView[]; earlier: boolean }> {
    await this.ownership.conversation(user, conversationId);
    const views = await readNewestViews(this.store, conversationId, { before, limit });
    return { turns: views, earlier: (views[0]?.number ?? 1) > 1 };
  }

  /** A turn as the view shows it. */
  async turn(turnId: string): Promise<TurnView> {
    return turnViewOf(await this.journalOfTurn(turnId));
  }

  /** All of a turn. Callers check its owner first. */
  async journalOfTurn(turnId: string): Promise<Journal> {
    const journal = await this.store.readJournal(turnId);
    if (!journal) throw notFound();
    return journal;
  }

  /**
   * The newest turns with a number below `before`, oldest first, up to 1 MiB of journals but one in any case; the
   * same.
   */
  async journalsBefore(conversationId: string, before: number, limit: number): Promise<Journal[]> {
    const turns = await this.store.listTurns(conversationId, { before, limit, bytes: MAX_PAGE_BYTES });
    return this.store.readJournals(conversationId, turns);
  }

  /** Turns that have not ended, by number, the first ones up to 1 MiB of journals; the same. */
  async unended(conversationId: string): Promise<Journal[]> {
    const turns = await this.store.listUnendedTurns(conversationId, MAX_PAGE_BYTES);
    return this.store.readJournals(conversationId, turns);
  }

  /** All rows of a turn. */
  async journal(user: User, turnId: string): Promise<Journal> {
    const turn = await this.ownership.turn(user, turnId);
    return this.readInLine(user, turn._id, (journal) => journal);
  }

  async messages(
    user: User,
    conversationId: string,
    page: MessagesPage,
  ): Promise<AsyncGenerator<MessageBody>> {
    await this.ownership.conversation(user, conversationId);
    return listMessages({ store: this.store, clock: this.clock }, conversationId, page);
  }

  /** A call as the view shows it, with its whole arguments and result. */
  async call(user: User, turnId: string, toolCallId: string): Promise<CallView> {
    if (!toolCallIdSchema.safeParse(toolCallId).success) throw notFound();
    const turn = await this.ownership.turn(user, turnId);
    return this.readInLine(user, turn._id, (journal) => wholeCallIn(journal, toolCallId));
  }

  /** Played again from its journal. */
  async replay(user: User, turnId: string): Promise<Replay> {
    const turn = await this.ownership.turn(user, turnId);
    return this.readInLine(user, turn._id, replayOf);
  }

  /** One turn of a user at a time, because the journal of one may have many megabytes; others go on in between. */
  private readInLine<T>(user: User, turnId: string, read: (journal: Journal) => T): Promise<T> {
    return this.lines.run(user.id, async () => {
      const journal = await this.journalOfTurn(turnId);
      await yieldToEventLoop(this.clock);
      return read(journal);
    });
  }

  /** The fields of a call that a view may have cut, without the rest of its turn. Callers check the owner first. */
  async wholeCall(turnId: string, n: number, toolCallId: string): Promise<WholeCall> {
    const [step, outcome] = await Promise.all([
      this.store.getStep(turnId, n),
      this.store.getOutcome(toolCallId),
    ]);
    const call = step?.calls.find(({ tool_call_id }) => tool_call_id === toolCallId);
    if (!call) throw notFound();
    return wholeOf(call, outcome);
  }
}

function wholeCallIn(journal: Journal, toolCallId: string): CallView {
  const step = journal.steps.find(({ calls }) => calls.some((call) => call.tool_call_id === toolCallId));
  const call = step?.calls.find((candidate) => candidate.tool_call_id === toolCallId);
  if (!step || !call) throw notFound();
  const { truncated: _truncated, ...view } = callViewOf(journal, step, call);
  return { ...view, ...wholeOf(call, outcomeOf(journal, toolCallId)) };
}

function wholeOf({ arguments: args }: Call, outcome: Outcome | null | undefined): WholeCall {
  if (!outcome || outcome.status === 'failure') return { args };
  return { args, result: plainText(outcome) };
}
