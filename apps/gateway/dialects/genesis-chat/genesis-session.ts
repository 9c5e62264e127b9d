import type { ClientRequest } from '#contracts';
import type { Ports } from '#journal';
import type { Clock } from '#time';
import type { User } from '../../people/auth/user.js';
import { toRequestError } from '../../errors/to-request-error.js';
import type { UserTraffic } from '../../door/sockets/user-traffic.js';
import type { DialectTurns } from '../host/dialect-turns.js';
import { BINARY_FRAME, parseClientFrame, type ClientFrame } from './client-frame.js';
import type { OpenTurn } from './open-turn.js';
import type { OpenTurns } from './open-turns.js';
import { refusalOf } from './refusal.js';
import type { FramePlace } from './server-frame.js';
import { TurnQueue, type QueuedTurn } from './turn-queue.js';
import type { Wire } from './wire.js';

/** WebSocket close codes (RFC 6455 §7.4.1). */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

export interface SessionDeps {
  turns: Pick<DialectTurns, 'start' | 'follow'>;
  openTurns: Pick<OpenTurns, 'begin' | 'forget' | 'drop'>;
  traffic: Pick<UserTraffic, 'check'>;
  clock: Clock;
  /** Messages whose answer has not been shown. */
  maxWaiting: number;
  log: Pick<Ports['log'], 'error' | 'warn'>;
}

interface ShownTurn extends QueuedTurn {
  /** Undefined: it could not be stored, so no other socket will take it over. */
  open: Promise<OpenTurn | undefined>;
}

/** One socket of a user, from its upgrade to its end. */
export class GenesisSession {
  private readonly queue: TurnQueue;
  /** Turns whose end may not have arrived, by id. */
  private readonly unshown = new Map<string, ShownTurn>();
  /** Messages are accepted one at a time, so that they are answered in order. */
  private accepting: Promise<void> = Promise.resolve();
  private inFlight = 0;
  /**
   * The client exceeded the message limit and is told to disconnect. No later message may be accepted in place of the
   * refused one.
   */
  private isFull = false;
  private ended: { isWanted: boolean } | undefined;

  /** `id`: unique among all processes, for ever. */
  constructor(
    readonly id: string,
    readonly user: User,
    private readonly wire: Wire,
    private readonly deps: SessionDeps,
  ) {
    const { clock, turns } = deps;
    this.queue = new TurnQueue({
      wire,
      clock,
      follow: (turnId) => turns.follow(user, turnId),
      onShown: ({ place }) => wire.onceArrived(() => void this.release(place.turn_id, true)),
      onFailure: (error) => this.fail(error),
    });
  }

  /** A frame of the client; undefined: a binary one. */
  receive(text: string | undefined): void {
    const frame = text === undefined ? BINARY_FRAME : parseClientFrame(text);
    if (frame.type === 'ping') return void this.wire.send({ type: 'pong' });
    this.isFull ||= this.inFlight + this.queue.length >= this.deps.maxWaiting;
    if (this.isFull) return this.wire.close(POLICY_VIOLATION, 'Too many messages are waiting for answers.');
    const messageAt = this.deps.clock.now();
    this.inFlight++;
    this.accepting = this.accepting
      .then(() => this.take(frame, messageAt))
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.inFlight--);
  }

  /** Turns that a cut-off socket has not fully received. */
  resume(turns: readonly OpenTurn[]): void {
    for (const turn of turns) {
      const { conversation_id, turn_id } = turn;
      this.add({ place: { conversation_id, turn_id }, open: Promise.resolve(turn) });
      if (this.ended) void this.release(turn_id, this.ended.isWanted);
    }
  }

  /** No message waits to be accepted. */
  settled(): Promise<void> {
    return this.accepting;
  }

  /** The socket has ended. `isWanted`: its client closed it; otherwise the user's next socket may continue its turns. */
  async end(isWanted: boolean): Promise<void> {
    if (this.ended) return;
    this.ended = { isWanted };
    this.queue.close();
    await this.accepting;
    await Promise.all([...this.unshown.keys()].map((turnId) => this.release(turnId, isWanted)));
  }

  private async take(frame: Exclude<ClientFrame, { type: 'ping' }>, messageAt: number): Promise<void> {
    if (frame.type === 'refused') return this.queue.add({ refusal: frame.refusal, messageAt });
    const { request } = frame;
    try {
      await this.start(request, messageAt);
    } catch (error) {
      if (toRequestError(error).code === 'internal')
        this.deps.log.error({ err: error }, 'accepting a message failed');
      this.queue.add({ refusal: refusalOf(error, request.conversation_id), messageAt });
    }
  }

  private async start(request: ClientRequest<'message'>, messageAt: number): Promise<void> {
    const { turns, traffic } = this.deps;
    traffic.check(this.user.id);
    const noted: { open?: ShownTurn['open'] } = {};
    // Before there is a turn: of a gateway that is killed right after its insert, the note is already there.
    const note = async (place: FramePlace) => {
      if (!this.unshown.has(place.turn_id)) await (noted.open = this.note(place));
    };
    const { stream, conversation_id, turn_id } = await turns
      .start(this.user, request, undefined, note)
      .catch(async (error: unknown) => {
        await this.forget(await noted.open);
        throw error;
      });
    const place = { conversation_id, turn_id };
    const shown = this.unshown.get(place.turn_id);
    if (!shown) return this.add({ place, messageAt, open: noted.open ?? this.note(place) }, stream);
    // Sent once more while it is being shown.
    shown.open = noted.open ?? shown.open;
    stream.close();
  }

  private note(place: FramePlace): ShownTurn['open'] {
    const holder = { userId: this.user.id, socket: this.id };
    return this.deps.openTurns.begin(holder, place).catch((err: unknown) => {
      const { turn_id } = place;
      this.deps.log.warn({ err, turn_id }, 'open turn of a socket not recorded, the socket cannot resume it');
      return undefined;
    });
  }

  private add(turn: ShownTurn, stream?: Parameters<TurnQueue['add']>[1]): void {
    this.unshown.set(turn.place.turn_id, turn);
    this.queue.add(turn, stream);
  }

  private async release(turnId: string, isDone: boolean): Promise<void> {
    const turn = this.unshown.get(turnId);
    this.unshown.delete(turnId);
    const open = await turn?.open;
    await (isDone ? this.forget(open) : this.drop(open));
  }

  private async forget(open: OpenTurn | undefined): Promise<void> {
    if (open) await this.deps.openTurns.forget(open).catch((error: unknown) => this.warn(open, error));
  }

  private async drop(open: OpenTurn | undefined): Promise<void> {
    if (open) await this.deps.openTurns.drop(open).catch((error: unknown) => this.warn(open, error));
  }

  private warn({ turn_id }: OpenTurn, err: unknown): void {
    this.deps.log.warn({ err, turn_id }, 'turn end not recorded for a socket');
  }

  /** A client that reconnects gets the rest. */
  private fail(error: unknown): void {
    if (this.ended) return;
    this.deps.log.error({ err: error }, 'sending the rest of a turn to a socket failed');
    this.wire.close(INTERNAL_ERROR, 'Something went wrong.');
  }
}
