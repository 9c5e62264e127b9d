import { isEndedStatus, type ClientRequest } from '#contracts';
import type { User } from '../../people/auth/user.js';
import { DEFAULT_TITLE } from '../../turns/conversations.js';
import type { Ownership } from '../../turns/ownership.js';
import type { Feeds } from '../../feeds/feeds.js';
import type { ConversationSeed, SubmitTurn } from '../../turns/submit-turn.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import { TurnStream } from '../stream/turn-stream.js';

export interface TurnPlace {
  conversation_id: string;
  turn_id: string;
}

export interface StartedTurn extends TurnPlace {
  /** The number of the turn in its conversation. */
  number: number;
  /** Must be read to its end, or closed. */
  stream: TurnStream;
}

/** Turns that are started or followed in another protocol. A client that disconnects stops nothing. */
export class DialectTurns {
  private readonly open = new Set<TurnStream>();
  private isStopping = false;

  constructor(
    private readonly deps: {
      feeds: Feeds;
      submitTurn: SubmitTurn;
      ownership: Ownership;
      turnReader: TurnReader;
    },
  ) {}

  /**
   * Submits a message as in the native protocol; `place` is for the conversation that it starts. A conversation with
   * `expiresAt` is removed at that time. `note` runs once the message may be accepted, before there is a turn. Throws
   * `RequestError`.
   */
  async start(
    user: User,
    request: ClientRequest<'message'>,
    place?: ConversationSeed,
    note?: (turn: TurnPlace) => Promise<void>,
  ): Promise<StartedTurn> {
    const { feeds, submitTurn } = this.deps;
    const bind = async (conversation_id: string, turn_id: string) => {
      await Promise.all([feeds.open(conversation_id), note?.({ conversation_id, turn_id })]);
    };
    const accepted = await submitTurn.accept(user, request, bind, place);
    const { conversation_id, turn_id } = accepted.answer;
    const feed = await feeds.open(conversation_id);
    if (accepted.isNewConversation) feed.startEmpty(DEFAULT_TITLE);
    const stream = await this.streamOf({ conversation_id, turn_id });
    // The caller has the turn's stream before anything can happen in it.
    await accepted.announce();
    if (accepted.isEnded) await this.showEnded(stream, turn_id);
    return { conversation_id, turn_id, number: accepted.number, stream };
  }

  /** A running or ended turn: the stream sends it from its beginning. Throws `RequestError`. */
  async follow(user: User, turnId: string): Promise<StartedTurn> {
    const turn = await this.deps.ownership.turn(user, turnId);
    const place = { conversation_id: turn.conversation_id, turn_id: turn._id };
    const stream = await this.streamOf(place);
    if (isEndedStatus(turn.status)) await this.showEnded(stream, turnId);
    return { ...place, number: turn.number, stream };
  }

  /** The process stops: every stream ends, including those that are still being opened. */
  stop(): void {
    this.isStopping = true;
    for (const stream of this.open) stream.stop();
  }

  /** An old turn is not in the view of the conversation's other viewers. Nothing else could close the stream. */
  private async showEnded(stream: TurnStream, turnId: string): Promise<void> {
    try {
      stream.show(await this.deps.turnReader.turn(turnId));
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  private async streamOf({ conversation_id, turn_id }: TurnPlace): Promise<TurnStream> {
    const { feeds, turnReader } = this.deps;
    const stream: TurnStream = new TurnStream(turn_id, {
      readTurn: () => turnReader.turn(turn_id),
      readCall: (step, toolCallId) => turnReader.wholeCall(turn_id, step, toolCallId),
      onClose: () => {
        this.open.delete(stream);
        feeds.leave(conversation_id, stream);
      },
    });
    this.open.add(stream);
    await feeds.join(conversation_id, stream);
    if (this.isStopping) stream.stop();
    return stream;
  }
}
