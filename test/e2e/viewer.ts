import { io, type Socket } from 'socket.io-client';
import type { ConversationEvent, Snapshot, TurnView, View } from '#contracts';
import { emptyView, reduce } from '#turn';
import { waitFor } from '../services/wait-for.js';

type Received = ConversationEvent | Snapshot;

/** A client as the page is one: it holds conversations by `reduce` alone, and remembers everything it was sent. */
export class Viewer {
  readonly received: Received[] = [];
  /** Refusals after which Socket.IO's client gives up. */
  readonly turnedAway: unknown[] = [];
  private readonly views = new Map<string, View>();
  private current: Socket;

  private constructor(
    url: string,
    private readonly auth: Record<string, string>,
  ) {
    this.current = this.open(url);
  }

  static async connect(url: string, auth: Record<string, string> = {}): Promise<Viewer> {
    const viewer = new Viewer(url, auth);
    await viewer.connected();
    return viewer;
  }

  /** Leaves for another gateway, and keeps what it holds. What it followed it has to join again. */
  async moveTo(url: string): Promise<void> {
    this.close();
    this.current = this.open(url);
    await this.connected();
  }

  get socket(): Socket {
    return this.current;
  }

  /** The acknowledgement as it came: the answer, or `{ error }`. */
  request(name: string, payload?: unknown, timeoutMs = 10_000): Promise<Record<string, unknown>> {
    return this.socket.timeout(timeoutMs).emitWithAck(name, payload) as Promise<Record<string, unknown>>;
  }

  async send(
    content: string,
    more: Record<string, unknown> = {},
  ): Promise<{ conversation_id: string; turn_id: string }> {
    const answer = await this.request('message', { content, ...more });
    if ('error' in answer) throw new Error(`message was refused: ${JSON.stringify(answer.error)}`);
    return answer as { conversation_id: string; turn_id: string };
  }

  /** Resolves with the snapshot in hand. */
  async join(conversationId: string): Promise<void> {
    const before = this.events('snapshot').length;
    const answer = await this.request('join', { conversation_id: conversationId });
    if ('error' in answer) throw new Error(`join was refused: ${JSON.stringify(answer.error)}`);
    const isTold = () =>
      this.events('snapshot')
        .slice(before)
        .some((snapshot) => snapshot.conversation_id === conversationId);
    await waitFor(isTold, { what: 'the snapshot after a join' });
  }

  view(conversationId: string): View {
    return this.views.get(conversationId) ?? emptyView(conversationId);
  }

  turn(conversationId: string, turnId: string): TurnView | undefined {
    return this.view(conversationId).turns.find((turn) => turn.turn_id === turnId);
  }

  /** Resolves when the turn has ended in this viewer's view. */
  async ended(conversationId: string, turnId: string, timeoutMs = 20_000): Promise<TurnView> {
    const hasEnded = () =>
      ['completed', 'failed', 'cancelled'].includes(this.turn(conversationId, turnId)?.status ?? '');
    await waitFor(hasEnded, { timeoutMs, what: `the end of turn ${turnId}` });
    return this.turn(conversationId, turnId)!;
  }

  /** The answer so far: the text of the turn's last step. */
  text(conversationId: string, turnId: string): string {
    return this.turn(conversationId, turnId)?.steps.at(-1)?.text ?? '';
  }

  /** Resolves when the last step's text has at least so many characters. */
  async reads(conversationId: string, turnId: string, length = 1): Promise<string> {
    const hasText = () => this.text(conversationId, turnId).length >= length;
    await waitFor(hasText, {
      timeoutMs: 20_000,
      what: `${length} characters of turn ${turnId}`,
      intervalMs: 5,
    });
    return this.text(conversationId, turnId);
  }

  events<T extends Received['type']>(type: T): Extract<Received, { type: T }>[] {
    return this.received.filter((event): event is Extract<Received, { type: T }> => event.type === type);
  }

  close(): void {
    this.socket.disconnect();
  }

  private open(url: string): Socket {
    const socket = io(url, {
      transports: ['websocket'],
      auth: this.auth,
      // A connection of its own: two viewers at one gateway, and one that comes back to it, are not one.
      forceNew: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 500,
    });
    socket.on('connect_error', (error: Error & { data?: unknown }) => {
      if (error.data !== undefined) this.turnedAway.push(error.data);
    });
    return socket.onAny((_name: string, event: Received) => this.take(event));
  }

  private connected(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
    });
  }

  private take(event: Received): void {
    if (typeof event !== 'object' || event === null || !('conversation_id' in event)) return;
    this.received.push(event);
    this.views.set(event.conversation_id, reduce(this.view(event.conversation_id), event));
  }
}
