import type { CallView, ConversationEvent, TurnView, View } from '#contracts';
import { hasEnded, isEnded, reduceEvent } from '#turn';
import { mayLackTurn, type ServerEvent, type Viewer } from '../feeds/viewer.js';

/** News for a client that waits for a call. */
export type CallNews =
  | { is: 'ended'; call: CallView }
  /** The turn ended without a call. */
  | { is: 'failed'; turn: TurnView }
  /** A person is asked: for approval, or by the tool. */
  | { is: 'asked'; call: CallView }
  /** The client has disconnected, so the wait is over. */
  | { is: 'left' };

export interface CallViewerDeps {
  onEvent(event: ConversationEvent): void;
  /** An answered question is not reported again. */
  isAnswered(call: CallView): boolean;
  /** From the journal: a snapshot has the newest turns only. */
  readTurn(): Promise<TurnView>;
}

/** Follows one turn that is one call, until it has ended, asks a person, or its client has left. */
export class CallViewer implements Viewer {
  readonly budget = { length: 0 };
  /** Rejects when the turn cannot be read. */
  readonly news: Promise<CallNews>;
  private view: View | undefined;
  private isSettled = false;
  private isReading = false;
  private settle!: (news: CallNews | Promise<never>) => void;

  constructor(
    private readonly turnId: string,
    private readonly deps: CallViewerDeps,
  ) {
    this.news = new Promise((resolve) => (this.settle = resolve));
  }

  get hasNews(): boolean {
    return this.isSettled;
  }

  send(event: ServerEvent): void {
    if (event.type === 'snapshot') this.view = event.view;
    else {
      this.deps.onEvent(event);
      if (this.view) this.view = reduceEvent(this.view, event).view;
    }
    const turn = this.view?.turns.find(({ turn_id }) => turn_id === this.turnId);
    if (turn) this.show(turn);
    else if (mayLackTurn(event)) void this.reread();
  }

  /** The turn as it was just read. */
  show(turn: TurnView): void {
    const news = newsOf(turn);
    if (news && !(news.is === 'asked' && this.deps.isAnswered(news.call))) this.resolveNews(news);
  }

  leave(): void {
    this.resolveNews({ is: 'left' });
  }

  isBehind(): boolean {
    return false;
  }

  onceDrained(listener: () => void): void {
    listener();
  }

  private resolveNews(news: CallNews | Promise<never>): void {
    this.isSettled = true;
    this.settle(news);
  }

  private async reread(): Promise<void> {
    if (this.isReading || this.isSettled) return;
    this.isReading = true;
    try {
      this.show(await this.deps.readTurn());
    } catch (error) {
      this.resolveNews(Promise.reject(error));
    } finally {
      this.isReading = false;
    }
  }
}

function newsOf(turn: TurnView): CallNews | undefined {
  const call = turn.steps.flatMap(({ calls }) => calls)[0];
  if (call && hasEnded(call)) return { is: 'ended', call };
  if (isEnded(turn)) return { is: 'failed', turn };
  const asks = call?.state === 'awaiting_approval' || call?.state === 'awaiting_input';
  // What others approve, this client waits for as for any other call.
  return asks && !call.approvers ? { is: 'asked', call } : undefined;
}
