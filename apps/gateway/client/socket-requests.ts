import type { Socket } from 'socket.io';
import {
  clientRequestSchemas,
  type ClientAnswer,
  type ClientError,
  type ClientRequest,
  type ClientRequestName,
} from '#contracts';
import type { Logger, Refusals } from '#observability';
import { timestampOf, type Clock } from '#time';
import type { Ownership } from '../turns/ownership.js';
import { DEFAULT_TITLE } from '../turns/conversations.js';
import { RequestError, toClientError } from '../errors/request-error.js';
import { toRequestError } from '../errors/to-request-error.js';
import type { Feeds } from '../feeds/feeds.js';
import { parseRequest } from '../http/parse.pipe.js';
import type { AnswerCalls } from '../turns/answer-calls.js';
import type { StopTurns } from '../turns/stop-turns.js';
import type { SubmitTurn } from '../turns/submit-turn.js';
import type { UserTraffic } from '../door/sockets/user-traffic.js';
import type { Session, SocketSessions } from './socket-sessions.js';

const RETRY_AFTER_MS = 1_000;

/** An answer, and the work that may only happen after it was sent: the client sees them in this order. */
interface Reply<N extends ClientRequestName> {
  answer: ClientAnswer<N>;
  afterwards?: () => void;
}

type RequestHandlers = {
  [N in ClientRequestName]: (session: Session, request: ClientRequest<N>) => Promise<Reply<N>>;
};

export interface SocketRequestsDeps {
  sessions: SocketSessions;
  feeds: Feeds;
  ownership: Ownership;
  submitTurn: SubmitTurn;
  stopTurns: StopTurns;
  answerCalls: AnswerCalls;
  traffic: Pick<UserTraffic, 'check'>;
  /** Requests of one socket that may wait for their answer at once. */
  maxInFlight: number;
  refusals: Pick<Refusals, 'note'>;
  log: Pick<Logger, 'error' | 'warn'>;
  clock: Clock;
}

/** Carries out requests over Socket.IO. Whatever happens, the client gets an answer and the process survives. */
export class SocketRequests {
  constructor(private readonly deps: SocketRequestsDeps) {}

  async handle(name: ClientRequestName, socket: Socket, body: unknown, ack: unknown): Promise<void> {
    await this.answer(name, socket, ack, (session) => this.carryOut(name, session, body));
  }

  /** An event that the protocol does not have is a request like any other, and is answered if its client waits for it. */
  refuseUnknown(socket: Socket): void {
    socket.onAny((name: string, ...args: unknown[]) => {
      if (Object.hasOwn(clientRequestSchemas, name)) return;
      void this.answer('unknown', socket, args.at(-1), () => {
        throw new RequestError('invalid', 'There is no such request.');
      });
    });
  }

  /** Never rejects. */
  private async answer(
    name: ClientRequestName | 'unknown',
    socket: Socket,
    ack: unknown,
    carryOut: (session: Session) => Promise<{ answer: object; afterwards?: () => void }>,
  ): Promise<void> {
    const session = this.deps.sessions.get(socket);
    if (!session) return;
    // Each request adds an answer to those that this client does not read.
    if (session.viewer.isClogged()) {
      this.deps.refusals.note('unread_answers', { user_id: session.user.id });
      return session.viewer.cutOff();
    }
    this.deps.sessions.countInFlight(session, 1);
    try {
      this.checkRoom(session);
      const { answer, afterwards } = await carryOut(session);
      acknowledge(ack, answer);
      afterwards?.();
    } catch (error) {
      acknowledge(ack, this.describe(name, error));
    } finally {
      this.deps.sessions.countInFlight(session, -1);
    }
  }

  private checkRoom(session: Session): void {
    if (session.inFlight > this.deps.maxInFlight) {
      const message = 'Too many requests are waiting for an answer.';
      throw this.refuse('requests_per_socket', session, message);
    }
    this.deps.traffic.check(session.user.id);
  }

  private checkJoin(session: Session, conversationId: string | undefined): void {
    if (this.deps.sessions.hasRoom(session, conversationId)) return;
    const message = 'This connection follows too many conversations.';
    throw this.refuse('joined_per_socket', session, message);
  }

  private refuse(limit: string, { user }: Session, message: string): RequestError {
    this.deps.refusals.note(limit, { user_id: user.id });
    return new RequestError('overloaded', message, RETRY_AFTER_MS);
  }

  private carryOut<N extends ClientRequestName>(name: N, session: Session, body: unknown): Promise<Reply<N>> {
    const schema = clientRequestSchemas[name];
    const request = parseRequest(schema, body) as ClientRequest<N>;
    const handler: RequestHandlers[N] = this.handlers[name];
    return handler(session, request);
  }

  private describe(name: ClientRequestName | 'unknown', error: unknown): ClientError {
    const refusal = toRequestError(error);
    if (refusal.code === 'internal') this.deps.log.error({ err: error, request: name }, 'request failed');
    // What was refused on purpose is counted by its limit.
    if (refusal.code === 'unavailable' && refusal !== error)
      this.deps.log.warn({ err: error, request: name }, 'request refused, temporarily unavailable');
    return toClientError(refusal);
  }

  private readonly handlers: RequestHandlers = {
    message: (session, request) => this.message(session, request),
    join: (session, request) => this.join(session, request),
    leave: async (session, { conversation_id }) => {
      this.deps.sessions.leave(session, conversation_id);
      return { answer: {} };
    },
    stop: async ({ user }, { turn_id }) => {
      const turn = await this.deps.ownership.turn(user, turn_id);
      return { answer: { may_be_running: await this.deps.stopTurns.stop(turn._id) } };
    },
    tool_approval: async ({ user }, request) => {
      await this.deps.answerCalls.approve(user, request);
      return { answer: {} };
    },
    input: async ({ user }, request) => {
      await this.deps.answerCalls.input(user, request);
      return { answer: {} };
    },
    ping: async ({ viewer }) => ({
      answer: {},
      afterwards: () => viewer.socket.emit('pong', { type: 'pong', timestamp: timestampOf(this.deps.clock) }),
    }),
  };

  private async message(session: Session, request: ClientRequest<'message'>): Promise<Reply<'message'>> {
    const { sessions, feeds, submitTurn } = this.deps;
    this.checkJoin(session, request.conversation_id);
    const accepted = await submitTurn.accept(session.user, request, async (conversationId) => {
      const feed = await feeds.open(conversationId);
      if (request.conversation_id !== undefined && !feed.has(session.viewer)) feed.warm();
    });
    const { answer, isNewConversation, announce } = accepted;
    const feed = await feeds.open(answer.conversation_id);
    return {
      answer,
      afterwards: () => {
        if (isNewConversation) feed.startEmpty(DEFAULT_TITLE);
        if (!feed.has(session.viewer)) sessions.join(session, answer.conversation_id, feed);
        void announce();
      },
    };
  }

  private async join(session: Session, { conversation_id }: ClientRequest<'join'>): Promise<Reply<'join'>> {
    const { sessions, feeds, ownership } = this.deps;
    this.checkJoin(session, conversation_id);
    await ownership.conversation(session.user, conversation_id);
    const feed = await feeds.open(conversation_id);
    return { answer: {}, afterwards: () => sessions.join(session, conversation_id, feed) };
  }
}

function acknowledge(ack: unknown, answer: object): void {
  if (typeof ack === 'function') (ack as (answer: object) => void)(answer);
}
