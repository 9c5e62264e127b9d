import type { Clock } from '#time';
import { isNotFound } from '../../errors/request-error.js';
import type { StartedTurn } from '../host/dialect-turns.js';
import type { TurnStream } from '../stream/turn-stream.js';
import type { Refusal } from './client-frame.js';
import { timesOf } from './frame-times.js';
import { GenesisFrames, type TimedFrame } from './genesis-frames.js';
import { failureFrames, type FramePlace, type ServerFrame } from './server-frame.js';
import type { Wire } from './wire.js';

/** A turn that is sent on this socket. */
export interface QueuedTurn {
  place: FramePlace;
  /** By the clock of the queue; absent: its message came on another socket. */
  messageAt?: number;
}

export interface QueuedRefusal {
  refusal: Refusal;
  messageAt: number;
}

export interface TurnQueueDeps {
  wire: Pick<Wire, 'send'>;
  clock: Clock;
  follow(turnId: string): Promise<StartedTurn>;
  /** All of the turn has been sent. */
  onShown(turn: QueuedTurn): void;
  /** The rest cannot be sent. */
  onFailure(error: unknown): void;
}

/**
 * Turns and refusals on one socket, one after the other. The frontend knows no conversation ids, so frames of the next
 * turn must not arrive before the current one is complete: they would be shown as part of it.
 */
export class TurnQueue {
  private readonly items: (QueuedTurn | QueuedRefusal)[] = [];
  private stream: TurnStream | undefined;
  private completedAt: number | undefined;
  private isClosed = false;

  constructor(private readonly deps: TurnQueueDeps) {}

  get length(): number {
    return this.items.length;
  }

  /** `stream`: the turn's, if it has one. The stream of a turn that must wait is opened again when its time comes. */
  add(item: QueuedTurn | QueuedRefusal, stream?: TurnStream): void {
    if (this.isClosed || this.items.length > 0) stream?.close();
    if (this.isClosed) return;
    this.items.push(item);
    if (this.items.length === 1) void this.run(stream).catch((error: unknown) => this.deps.onFailure(error));
  }

  close(): void {
    this.isClosed = true;
    this.stream?.close();
  }

  private async run(stream?: TurnStream): Promise<void> {
    for (let [item] = this.items; item && !this.isClosed; [item] = this.items) {
      if ('refusal' in item) await this.refuse(item);
      else await this.show(item, stream);
      stream = undefined;
      this.items.shift();
    }
  }

  private async refuse({ refusal, messageAt }: QueuedRefusal): Promise<void> {
    const { code, message, conversation_id } = refusal;
    const times = timesOf({ messageAt, completedAt: this.completedAt });
    if (conversation_id === undefined)
      return this.send({ frame: { type: 'error', message, code }, notBefore: times.first });
    for (const frame of failureFrames(code, message, 'none'))
      await this.send({
        frame: { ...frame, conversation_id },
        notBefore: frame.type === 'complete' ? times.complete : times.first,
      });
  }

  private async show(turn: QueuedTurn, given: TurnStream | undefined): Promise<void> {
    const stream = given ?? (await this.follow(turn));
    if (!stream) return;
    this.stream = stream;
    if (this.isClosed) return stream.close();
    const { place, messageAt } = turn;
    const { completedAt } = this;
    const isResumed = messageAt === undefined;
    const frames = new GenesisFrames(place, { messageAt, completedAt }, this.deps.clock, { isResumed });
    for await (const news of stream) {
      await this.sendAll(frames.next(news));
      if (stream.isDry) await this.sendAll(frames.caughtUp());
      if (news.type === 'turn_ended' && !this.isClosed) this.deps.onShown(turn);
      if (news.type === 'gateway_stopping') this.close();
    }
  }

  /** Undefined: the conversation was deleted while the turn waited. */
  private async follow(turn: QueuedTurn): Promise<TurnStream | undefined> {
    const { place, messageAt } = turn;
    try {
      return (await this.deps.follow(place.turn_id)).stream;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const frame: ServerFrame = {
        type: 'complete',
        message_id: place.turn_id,
        status: 'cancelled',
        ...place,
      };
      const { complete } = timesOf({ messageAt, completedAt: this.completedAt });
      await this.send({ frame, notBefore: complete });
      this.deps.onShown(turn);
      return undefined;
    }
  }

  private async sendAll(frames: readonly TimedFrame[]): Promise<void> {
    for (const frame of frames) await this.send(frame);
  }

  private async send({ frame, notBefore }: TimedFrame): Promise<void> {
    const { clock } = this.deps;
    const leftMs = notBefore - clock.now();
    if (leftMs > 0) await clock.sleep(leftMs);
    if (this.isClosed) return;
    await this.deps.wire.send(frame);
    if (frame.type === 'complete') this.completedAt = clock.now();
  }
}
