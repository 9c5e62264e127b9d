import type { CallView, ConversationEvent, TurnView, View } from '#contracts';
import { hasEnded, isEnded, reduceEvent } from '#turn';
import type { ServerEvent, Viewer } from '../feeds/viewer.js';

/** What somebody who waits for a call must be told now. */
export type CallNews =
  | { is: 'ended'; call: CallView }
  /** The turn is over and the call never was one. */
  | { is: 'failed'; turn: TurnView }
  /** A person is asked: for approval, or by the tool. */
  | { is: 'asked'; call: CallView };

/** Follows one turn that is one call, until it has ended or asks somebody. */
export class CallViewer implements Viewer {
  readonly budget = { length: 0 };
  readonly news: Promise<CallNews>;
  private view: View | undefined;
  private tell!: (news: CallNews) => void;

  constructor(
    private readonly turnId: string,
    private readonly onEvent: (event: ConversationEvent) => void,
    /** A question that has been answered is not told again. */
    private readonly isAnswered: (call: CallView) => boolean,
  ) {
    this.news = new Promise((resolve) => (this.tell = resolve));
  }

  send(event: ServerEvent): void {
    if (event.type === 'snapshot') this.view = event.view;
    else {
      this.onEvent(event);
      if (this.view) this.view = reduceEvent(this.view, event).view;
    }
    const turn = this.view?.turns.find(({ turn_id }) => turn_id === this.turnId);
    const news = turn && newsOf(turn);
    if (news && !(news.is === 'asked' && this.isAnswered(news.call))) this.tell(news);
  }

  isBehind(): boolean {
    return false;
  }

  onceDrained(listener: () => void): void {
    listener();
  }
}

function newsOf(turn: TurnView): CallNews | undefined {
  const call = turn.steps.flatMap(({ calls }) => calls)[0];
  if (call && hasEnded(call)) return { is: 'ended', call };
  if (isEnded(turn)) return { is: 'failed', turn };
  const isAsked = call?.state === 'awaiting_approval' || call?.state === 'awaiting_input';
  return isAsked ? { is: 'asked', call } : undefined;
}
