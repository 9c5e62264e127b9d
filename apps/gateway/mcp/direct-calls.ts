import {
  MAX_CONTENT_LENGTH,
  type CallView,
  type ConversationEvent,
  type Outcome,
  type TurnOptions,
} from '#contracts';
import type { Store } from '#store';
import type { Time } from '#time';
import type { User } from '../people/auth/user.js';
import { DEFAULT_TITLE } from '../turns/conversations.js';
import type { Feeds } from '../feeds/feeds.js';
import type { StopTurns } from '../turns/stop-turns.js';
import type { SubmitTurn } from '../turns/submit-turn.js';
import type { TurnReader } from '../turns/turn-reader.js';
import { CallViewer, type CallNews } from './call-viewer.js';

/** How long its conversation is kept: for operators, and for the artifacts that its result refers to. */
const KEPT_MS = 24 * 3_600_000;

export type DirectCall = NonNullable<TurnOptions['call']>;

export interface CallPlace {
  conversation_id: string;
  turn_id: string;
}

export interface FollowOptions {
  /** Aborted when the client has left: from then on nothing is held for it. */
  left: AbortSignal;
  /** Whether a client that disconnects has cancelled its call; if not, the call continues. */
  leavingStops: boolean;
  onEvent(event: ConversationEvent): void;
  /** The question of a call, or without a number its approval, that has just been answered. */
  answered?: { tool_call_id: string; number?: number };
}

/** News of a call, the end with the stored outcome. */
export type CallAnswer = Exclude<CallNews, { is: 'ended' }> | { is: 'ended'; outcome: Outcome };

interface Deps extends Time {
  store: Pick<Store, 'getOutcome'>;
  feeds: Feeds;
  submitTurn: SubmitTurn;
  stopTurns: StopTurns;
  turnReader: Pick<TurnReader, 'turn'>;
}

/**
 * A tool call from outside a chat: the only call of a turn in its own conversation, so queues, claims,
 * limits and audit are those of any other call.
 */
export class DirectCalls {
  constructor(private readonly deps: Deps) {}

  /** Throws `RequestError` when the gateway accepts no more. */
  async run(
    user: User,
    call: DirectCall,
    options: FollowOptions,
  ): Promise<{ place: CallPlace; news: CallAnswer }> {
    const { feeds, submitTurn, clock, random } = this.deps;
    const content = `${call.tool_name} ${JSON.stringify(call.arguments)}`.slice(0, MAX_CONTENT_LENGTH);
    const request = { content, client_message_id: random.id(), options: { call } };
    const bind = async (conversationId: string) => void (await feeds.open(conversationId));
    const accepted = await submitTurn.accept(user, request, bind, {
      expiresAt: clock.wall() + KEPT_MS,
    });
    const { answer: place, announce } = accepted;
    const feed = await feeds.open(place.conversation_id);
    feed.startEmpty(DEFAULT_TITLE);
    const viewer = this.viewerOf(place, options);
    const [news] = await Promise.all([this.wait(viewer, place, options), announce()]);
    return { place, news };
  }

  /** Continues to wait for a call that asked a person. A call that has ended is answered from the journal. */
  async follow(place: CallPlace, options: FollowOptions): Promise<CallAnswer> {
    const viewer = this.viewerOf(place, options);
    viewer.show(await this.deps.turnReader.turn(place.turn_id));
    return this.wait(viewer, place, options);
  }

  async stop({ turn_id }: CallPlace): Promise<void> {
    await this.deps.stopTurns.stop(turn_id);
  }

  private viewerOf({ turn_id }: CallPlace, { onEvent, answered }: FollowOptions): CallViewer {
    const isAnswered = ({ tool_call_id, question }: CallView) =>
      answered !== undefined &&
      tool_call_id === answered.tool_call_id &&
      question?.number === answered.number;
    const readTurn = () => this.deps.turnReader.turn(turn_id);
    return new CallViewer(turn_id, { onEvent, isAnswered, readTurn });
  }

  private async wait(viewer: CallViewer, place: CallPlace, options: FollowOptions): Promise<CallAnswer> {
    const { left, leavingStops } = options;
    const { feeds, store } = this.deps;
    const leave = () => {
      if (leavingStops) void this.stop(place).catch(() => undefined);
      viewer.leave();
    };
    left.addEventListener('abort', leave, { once: true });
    try {
      if (left.aborted) leave();
      if (!viewer.hasNews) await feeds.join(place.conversation_id, viewer);
      const news = await viewer.news;
      if (news.is !== 'ended') return news;
      const outcome = await store.getOutcome(news.call.tool_call_id);
      if (!outcome) throw new Error('a call has ended without an outcome');
      return { is: 'ended', outcome };
    } finally {
      left.removeEventListener('abort', leave);
      feeds.leave(place.conversation_id, viewer);
    }
  }
}
