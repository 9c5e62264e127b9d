import type { CallView, EventOf, TurnView, View } from '#contracts';
import { isEnded, reduceEvent } from '#turn';
import { mayLackTurn, type ServerEvent, type Viewer } from '../../feeds/viewer.js';
import type { WholeCall } from '../../turns/turn-reader.js';
import { TurnChanges, type AddedText, type TurnChange } from './turn-changes.js';

/** Transient news that is never part of a view. */
type Passing = EventOf<'thinking' | 'tool_progress' | 'waiting'>;

/** News for a follower of one turn in another protocol. */
export type TurnNews =
  | TurnChange
  | Passing
  /** This process stops; the turn continues without it. Always the last. */
  | { type: 'gateway_stopping' };

/** The number of characters that may wait for a reader. Above it, events are dropped and a snapshot replaces them. */
const MAX_WAITING_LENGTH = 256 * 1024;

export interface TurnStreamDeps {
  /** From the journal: a snapshot has the newest turns only. */
  readTurn(): Promise<TurnView>;
  readCall(step: number, toolCallId: string): Promise<WholeCall>;
  onClose(): void;
}

/**
 * Follows one turn as a stream that ends with it: `for await (const news of stream)`. A slow reader gets merged texts.
 * Arguments and results are whole (`readCall`), unlike in a view.
 */
export class TurnStream implements Viewer, AsyncIterable<TurnNews> {
  readonly budget = { length: 0 };
  private readonly changes = new TurnChanges();
  private waiting: TurnNews[] = [];
  private waitingLength = 0;
  private view: View | undefined;
  private isClosed = false;
  private isReading = false;
  private failure: { error: unknown } | undefined;
  private wake: () => void = () => undefined;
  private drained: (() => void)[] = [];

  constructor(
    private readonly turnId: string,
    private readonly deps: TurnStreamDeps,
  ) {}

  send(event: ServerEvent): void {
    if (event.type === 'snapshot') {
      if (!this.applyView(event.view) && mayLackTurn(event)) void this.find();
      return;
    }
    // Nothing is left of the conversation, whichever turn this event names: the end of the followed turn may have been
    // missed.
    if (event.type === 'cancelled' && event.deleted) return this.endDeleted(event);
    if (event.turn_id !== this.turnId) return;
    if (event.type === 'thinking' || event.type === 'tool_progress' || event.type === 'waiting')
      return this.add(event);
    if (!this.view) return;
    const reduced = reduceEvent(this.view, event);
    const added = reduced.verdict === 'applied' && reduced.event.type === 'token' ? reduced.event : undefined;
    this.applyView(reduced.view, added);
  }

  /** The reader has received everything known, unless nothing is known yet. */
  get isDry(): boolean {
    return this.waiting.length === 0;
  }

  isBehind(): boolean {
    return this.waitingLength > MAX_WAITING_LENGTH;
  }

  onceDrained(listener: () => void): void {
    this.drained.push(listener);
  }

  /** The turn as it was read just now. */
  show(turn: TurnView, added?: AddedText): void {
    for (const change of this.changes.next(turn, added)) this.add(change);
  }

  /** The process stops. */
  stop(): void {
    this.add({ type: 'gateway_stopping' });
  }

  /** The reader has disconnected: the stream ends, and the turn continues. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.deps.onClose();
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<TurnNews> {
    try {
      while (!this.isClosed) {
        if (this.failure) throw this.failure.error;
        const news = this.waiting.shift();
        if (news) {
          this.waitingLength -= lengthOf(news);
          yield await this.complete(news);
          if (news.type === 'turn_ended' || news.type === 'gateway_stopping') return;
          continue;
        }
        for (const listener of this.drained.splice(0)) listener();
        if (this.isDry && !this.failure) await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  /** Ignores other turns of the conversation. False: the followed turn is not in the snapshot. */
  private applyView(view: View, added?: AddedText): boolean {
    const turn = view.turns.find(({ turn_id }) => turn_id === this.turnId);
    this.view = turn ? { ...view, turns: [turn] } : (this.view ?? { ...view, turns: [], earlier: false });
    if (turn) this.show(turn, added);
    return turn !== undefined;
  }

  /** No more events come for an ended turn. A turn that has not ended is in a snapshot once it is active. */
  private async find(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      const turn = await this.deps.readTurn();
      if (isEnded(turn)) this.show(turn);
    } catch (error) {
      this.failure = { error };
      this.wake();
    } finally {
      this.isReading = false;
    }
  }

  /** Nothing of the turn may have been seen before. */
  private endDeleted({ timestamp }: EventOf<'cancelled'>): void {
    const unseen = { number: 0, content: '', by: '', client_message_id: '', at: timestamp, steps: [] };
    const turn = this.view?.turns[0] ?? { turn_id: this.turnId, ...unseen };
    this.show({ ...turn, status: 'cancelled', ended_at: timestamp });
  }

  private add(news: TurnNews): void {
    if (this.isClosed) return;
    this.waitingLength += lengthOf(news);
    const last = this.waiting.at(-1);
    const merged = last && merge(last, news);
    if (merged) this.waiting[this.waiting.length - 1] = merged;
    else this.waiting.push(news);
    this.wake();
  }

  private async complete(news: TurnNews): Promise<TurnNews> {
    if (news.type === 'call_started' || news.type === 'call_ended')
      return { ...news, call: await this.whole(news.step, news.call) };
    if (news.type !== 'step_committed') return news;
    const { step } = news;
    const calls = await Promise.all(step.calls.map((call) => this.whole(step.n, call)));
    return { ...news, step: { ...step, calls } };
  }

  private async whole(step: number, call: CallView): Promise<CallView> {
    return call.truncated ? { ...call, ...(await this.deps.readCall(step, call.tool_call_id)) } : call;
  }
}

function lengthOf(news: TurnNews): number {
  if (news.type === 'text') return news.text.length;
  if (news.type === 'thinking') return news.content.length;
  return 100;
}

function merge(last: TurnNews, next: TurnNews): TurnNews | undefined {
  if (last.type === 'text' && next.type === 'text' && last.step === next.step)
    return { ...last, text: last.text + next.text };
  const isContinued =
    last.type === 'thinking' &&
    next.type === 'thinking' &&
    last.step === next.step &&
    last.attempt === next.attempt;
  return isContinued ? { ...last, content: last.content + next.content } : undefined;
}
