import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { isEndedStatus, type ConversationEvent, type Snapshot, type TurnView, type View } from '#contracts';
import { emptyView, hasEnded, reduce } from '#turn';
import { FILES, type ClientRequest, type Seen } from './evidence.js';
import type { Random } from './random.js';
import type { Recorder } from './recorder.js';

const PATIENCE_MS = 6_000;

export interface LinkOptions {
  name: string;
  gateways: readonly string[];
  recorder: Recorder;
  random: Random;
}

type Answer = Record<string, unknown>;

/**
 * One viewer of one conversation: a real client over WebSocket that looks for another gateway whenever it loses its
 * own, joins again, and holds what it was sent by `reduce` alone.
 */
export class Link {
  conversationId: string | undefined;
  private view: View = emptyView('');
  private socket: Socket | undefined;
  /** Of the conversation, over this connection. */
  private hasSnapshot = false;
  private isClosed = false;
  private readonly life: Promise<void>;

  constructor(private readonly options: LinkOptions) {
    this.life = this.stayConnected();
  }

  turn(turnId: string): TurnView | undefined {
    return this.view.turns.find((turn) => turn.turn_id === turnId);
  }

  hasSeenEnd(turnId: string): boolean {
    return isEndedStatus(this.turn(turnId)?.status ?? 'queued');
  }

  /** True when it has been shown the end of these turns and of all their calls. */
  hasSeenAll(turnIds: readonly string[]): boolean {
    return this.hasSnapshot && turnIds.every((turnId) => isOver(this.turn(turnId)));
  }

  /** Turns to something else: what it holds now is the end of this conversation for it. */
  leave(): void {
    if (this.conversationId !== undefined) this.see({ at: Date.now(), left: this.conversationId });
    this.conversationId = undefined;
  }

  /** One try; undefined without an answer. What was sent may have arrived all the same. */
  async ask(name: string, payload: object): Promise<Answer | undefined> {
    const { socket } = this;
    if (!socket?.connected) return undefined;
    try {
      const answer = (await socket.timeout(PATIENCE_MS).emitWithAck(name, payload)) as Answer;
      if (!('error' in answer)) return answer;
      const { code } = answer.error as { code: string };
      this.record({ at: Date.now(), viewer: this.options.name, what: 'refused', request: name, code });
    } catch {
      // No acknowledgement: the connection is gone, or the gateway is frozen.
      if (this.socket === socket) this.drop();
    }
    return undefined;
  }

  record(request: ClientRequest): void {
    this.options.recorder.record(FILES.requests, request);
  }

  /** Loses its connection, as a train enters a tunnel. */
  drop(): void {
    this.socket?.io.engine?.close();
  }

  follow(conversationId: string): void {
    if (this.conversationId === conversationId) return;
    this.conversationId = conversationId;
    this.view = emptyView(conversationId);
    this.hasSnapshot = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.socket?.disconnect();
    await this.life;
  }

  private async stayConnected(): Promise<void> {
    while (!this.isClosed) {
      await this.connectOnce();
      await delay(this.options.random.between(50, 400));
    }
  }

  /** From a try to connect to the end of the connection. */
  private async connectOnce(): Promise<void> {
    const { gateways, random } = this.options;
    const gateway = random.pick(gateways);
    const socket = io(gateway, {
      transports: ['websocket'],
      reconnection: false,
      timeout: 3_000,
      forceNew: true,
    });
    this.socket = socket;
    socket.onAny((_name: string, event: ConversationEvent | Snapshot) => this.take(socket, event));
    await new Promise<void>((resolve) => {
      socket.once('connect_error', () => resolve());
      socket.once('disconnect', () => resolve());
      socket.once('connect', () => {
        this.see({ at: Date.now(), link: 'up', gateway });
        void this.keepJoined(socket);
      });
    });
    this.hasSnapshot = false;
    this.see({ at: Date.now(), link: 'down', gateway });
    socket.disconnect();
    this.socket = undefined;
  }

  /** Asks until the snapshot is there: an acknowledgement alone shows nothing. */
  private async keepJoined(socket: Socket): Promise<void> {
    while (socket.connected) {
      const { conversationId } = this;
      if (conversationId !== undefined && !this.hasSnapshot)
        await this.ask('join', { conversation_id: conversationId });
      await delay(200);
    }
  }

  private take(socket: Socket, event: ConversationEvent | Snapshot): void {
    if (socket !== this.socket || typeof event !== 'object' || !('conversation_id' in event)) return;
    this.see({ at: Date.now(), event });
    if (event.conversation_id !== this.conversationId) return;
    this.view = reduce(this.view, event);
    this.hasSnapshot ||= event.type === 'snapshot';
  }

  private see(seen: Seen): void {
    this.options.recorder.record(`${FILES.viewerPrefix}${this.options.name}.jsonl`, seen);
  }
}

function isOver(turn: TurnView | undefined): boolean {
  if (!turn || !isEndedStatus(turn.status)) return false;
  return turn.steps.every(({ calls }) => calls.every(hasEnded));
}
