import { createHash } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import type { CallView, ClientRequest, ConversationEvent, View, Waiting } from '#contracts';
import { emptyView, reduce } from '#turn';
import { answerHttp, type FakeSummary, type FakeUsage } from './fake-http.js';
import { FakeTurn } from './fake-turn.js';

export interface FakeConversation {
  summary: FakeSummary;
  view: View;
  /** Turns that the snapshot leaves out and HTTP gives. */
  older: View['turns'];
}

interface SentMessage {
  conversation_id?: string;
  content: string;
  client_message_id: string;
}

type Ack = (answer: object) => void;

const refusal = (code: string, message: string) => ({ error: { code, message } });

/**
 * Speaks the client protocol with events that a test writes, over real sockets, and keeps each conversation with the
 * same `reduce` as the page. It decides nothing by itself except ids and order.
 */
export class FakeGateway {
  readonly conversations = new Map<string, FakeConversation>();
  /** Every `message` request, resends included. */
  readonly messages: SentMessage[] = [];
  /** Turn ids of every `stop` request. */
  readonly stops: string[] = [];
  readonly approvals: { tool_call_id: string; decision: string }[] = [];
  readonly answers: ClientRequest<'input'>[] = [];
  /** What HTTP gives for a call of which the view has only a part. */
  readonly uncutCalls = new Map<string, CallView>();
  /** Why every turn waits. */
  waiting: Waiting | null = null;
  /** What models have used for the person at the page. */
  usage: FakeUsage = { today: '2026-11-19', used: [] };
  /** The model of turns that name none. */
  defaultModel = 'anthropic/claude-sonnet-5-5';
  /** The only token that is let in; absent: everybody is. */
  token: string | undefined;
  /** Added to every timestamp, so that a test can let time pass. */
  aheadMs = 0;
  /** Called instead of answering a message; for refusals, for answers that get lost, and for late ones: `answer`. */
  onMessage: ((message: SentMessage, ack: Ack, answer: () => void) => void) | undefined;
  /** The answer to every approval, instead of taking it. */
  refuseApprovals: { code: string; message: string } | undefined;
  private isRefusing = false;
  private readonly turns: FakeTurn[] = [];
  private readonly io: Server;

  private constructor(
    private readonly http: HttpServer,
    readonly url: string,
  ) {
    this.io = new Server(http, {
      transports: ['websocket'],
      allowRequest: (_request, decide) => decide(null, !this.isRefusing),
    });
    this.io.use((socket, next) => {
      const isKnown = this.token === undefined || socket.handshake.auth.token === this.token;
      next(
        isKnown ? undefined : Object.assign(new Error('unauthorized'), { data: { code: 'unauthorized' } }),
      );
    });
    this.io.on('connection', (socket) => this.serve(socket));
  }

  static async start(pageDirectory: string): Promise<FakeGateway> {
    const http = createServer(
      (request, response) => void answerHttp(gateway, pageDirectory, request, response),
    );
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const gateway: FakeGateway = new FakeGateway(http, `http://127.0.0.1:${port}/`);
    return gateway;
  }

  async close(): Promise<void> {
    const closed = this.io.close();
    // Node waits a minute for a connection that the browser opened ahead and never used.
    this.http.closeAllConnections();
    await closed;
  }

  /** Cuts every connection; new ones are refused until {@link restore}. */
  cutOff(): void {
    this.isRefusing = true;
    this.io.disconnectSockets(true);
  }

  /** Ends every connection as a token that has run out does, in the same breath as what was told before. */
  expireToken(conversationId: string): void {
    const event = { type: 'token_expired', conversation_id: conversationId, timestamp: this.now() };
    this.io.emit('token_expired', event);
    this.io.disconnectSockets(true);
  }

  restore(): void {
    this.isRefusing = false;
  }

  now(): string {
    return new Date(Date.now() + this.aheadMs).toISOString();
  }

  /** A conversation that exists before the page is opened. */
  add(id: string, title: string, updatedAt = this.now()): FakeConversation {
    const summary = { id, user_id: 'local', title, created_at: updatedAt, updated_at: updatedAt };
    const conversation = { summary, view: { ...emptyView(id), title }, older: [] };
    this.conversations.set(id, conversation);
    return conversation;
  }

  /** The n-th turn that this gateway accepted, or undefined. */
  turn(index: number): FakeTurn | undefined {
    return this.turns[index];
  }

  /** To every viewer of its conversation; the own view follows by the same function. */
  publish(event: ConversationEvent): void {
    const conversation = this.conversations.get(event.conversation_id)!;
    conversation.view = reduce(conversation.view, event);
    this.io.to(event.conversation_id).emit(event.type, event);
  }

  /** Starts a turn as if the user had sent it from another device. */
  accept(conversationId: string, content: string, clientMessageId: string): FakeTurn {
    const { view, older } = this.conversations.get(conversationId)!;
    const turnId = `turn_${digest(conversationId + clientMessageId)}`;
    const known = this.turns.find((turn) => turn.turnId === turnId);
    if (known) return known;
    const turn = new FakeTurn(this, conversationId, turnId, view.turns.length + older.length + 1);
    this.turns.push(turn);
    turn.queue(content, clientMessageId);
    return turn;
  }

  private serve(socket: Socket): void {
    socket.on('message', (message: SentMessage, ack: Ack) => {
      this.messages.push(message);
      const answer = () => this.answerMessage(socket, message, ack);
      if (this.onMessage) this.onMessage(message, ack, answer);
      else answer();
    });
    socket.on('join', ({ conversation_id }: { conversation_id: string }, ack: Ack) => {
      if (!this.conversations.has(conversation_id)) return ack(refusal('not_found', 'No such conversation.'));
      ack({});
      this.follow(socket, conversation_id);
    });
    socket.on('leave', ({ conversation_id }: { conversation_id: string }, ack: Ack) => {
      void socket.leave(conversation_id);
      ack({});
    });
    socket.on('stop', ({ turn_id }: { turn_id: string }, ack: Ack) => {
      this.stops.push(turn_id);
      ack({ may_be_running: [] });
    });
    socket.on('input', (answer: ClientRequest<'input'>, ack: Ack) => {
      this.answers.push(answer);
      ack({});
    });
    socket.on('tool_approval', (answer: { tool_call_id: string; decision: string }, ack: Ack) => {
      this.approvals.push(answer);
      const { code, message } = this.refuseApprovals ?? {};
      ack(code && message ? refusal(code, message) : {});
    });
  }

  /** Order on the socket: ack, `snapshot` (if not joined before), events. */
  answerMessage(socket: Socket, message: SentMessage, ack: Ack): void {
    const id = message.conversation_id ?? `conv_${digest(message.client_message_id)}`;
    if (!this.conversations.has(id)) this.add(id, 'New Conversation');
    ack({ conversation_id: id, turn_id: `turn_${digest(id + message.client_message_id)}` });
    if (!socket.rooms.has(id)) this.follow(socket, id);
    this.accept(id, message.content, message.client_message_id);
  }

  private follow(socket: Socket, id: string): void {
    void socket.join(id);
    const { view } = this.conversations.get(id)!;
    socket.emit('snapshot', { type: 'snapshot', conversation_id: id, timestamp: this.now(), view });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
