import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddress from 'proxy-addr';
import type { Request, Response } from 'express';
import type { GatewayLimits } from '#bootstrap';
import type { Refusals } from '#observability';
import type { Clock } from '#time';
import { RequestError } from '../../errors/request-error.js';
import type { SendError } from '../refusals/send-error.js';
import { hasBody } from '../bodies/body-kind.js';
import { allowEarlyAnswer } from '../bodies/refuse-upload.js';
import { beginInOrder, interceptEvents } from './intercept-events.js';
import type { HttpTimings } from './http-timings.js';
import type { Leave } from './request-places.js';
import { SlowBodies } from './slow-bodies.js';
import { SpareConnections } from './spare-connections.js';

/** Longer than load balancers keep an idle connection (60 s is usual): one that sends on it as it is closed gets no answer. */
const KEEP_ALIVE_MS = 75_000;
const TOO_SLOW = 'The body arrived too slowly: send at least 8 KiB a second, without pauses of 10 s.';
/** Requests on one connection that have no answer yet: browsers and proxies send one. */
const MAX_PIPELINED = 16;

export interface ConnectionOptions {
  limits: Pick<GatewayLimits, 'idleConnections' | 'idleConnectionsPerAddress'>;
  timings: HttpTimings;
  trustedProxies: string[];
  refusals: Pick<Refusals, 'note'>;
  sendError: SendError;
  clock: Clock;
}

interface Connection {
  address: string | undefined;
  isTrusted: boolean;
  /** Requests without a whole answer. */
  open: number;
  /** Of these, those that hold a place. */
  held: number;
  answerMs: number;
}

/**
 * Bounds what a connection may hold before, between and after its requests: headers, bodies and answers have to make
 * progress, idle connections give way, and none may ask much at once.
 */
export class HttpConnections {
  private readonly connections = new WeakMap<Socket, Connection>();
  private readonly spare: SpareConnections;
  private readonly bodies: SlowBodies<IncomingMessage, ServerResponse>;
  private readonly isTrusted: (address: string, hops: number) => boolean;

  constructor(private readonly options: ConnectionOptions) {
    const { limits, timings, trustedProxies, refusals, clock } = options;
    this.isTrusted = proxyAddress.compile(trustedProxies);
    const { idleConnections: places, idleConnectionsPerAddress: perAddress } = limits;
    this.spare = new SpareConnections({ places, perAddress }, (limit, address) =>
      refusals.note(limit, { address }),
    );
    const refuse = (...slow: [IncomingMessage, ServerResponse]) => this.refuseBody(...slow);
    this.bodies = new SlowBodies(timings.body, timings.lookMs, refuse, clock);
  }

  /** Before the server listens. */
  watch(server: Server): void {
    const { headersMs, answerMs, lookMs } = this.options.timings;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = headersMs;
    // Bodies have a pace instead of a last moment: a large one may take long.
    server.requestTimeout = 0;
    server.timeout = answerMs;
    // Read when the server begins to listen; an option of its constructor, which Nest calls.
    (server as { connectionsCheckingInterval?: number }).connectionsCheckingInterval = lookMs;
    server.on('connection', (socket: Socket) => this.add(socket));
    // By then everybody listens, also Socket.IO.
    server.once('listening', () => this.interceptAll(server));
    // Else Node asks for the body before the request has a place.
    server.on('checkContinue', (...asked: unknown[]) => server.emit('request', ...asked));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.begin(request, response, () => response.writeHead(417, { Connection: 'close' }).end()),
    );
    server.on('timeout', (socket: Socket) => this.endIfStuck(socket));
    const looking = this.options.clock.every(lookMs, () => this.bodies.check(), { unref: true });
    server.once('close', () => looking.cancel());
  }

  /** While a request holds a place, its connection is not closed for others. */
  hold({ socket }: IncomingMessage, isStranger: boolean): Leave {
    const connection = this.connections.get(socket);
    if (!connection) return () => undefined;
    connection.answerMs = this.options.timings[isStranger ? 'strangersAnswerMs' : 'answerMs'];
    socket.setTimeout(connection.answerMs);
    if (connection.held++ === 0) this.spare.delete(socket);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--connection.held === 0 && !socket.destroyed) this.addSpare(socket, connection);
    };
  }

  /** Ends the connection unless a stranger's answer is whole in time: a byte now and then is progress, too. */
  limitAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
    const end = () => {
      this.options.refusals.note('slow_answers', { address: this.connections.get(socket)?.address });
      socket.destroy();
    };
    const { clock, timings } = this.options;
    const timer = clock.after(timings.strangersWholeAnswerMs, end, { unref: true });
    response.once('close', () => timer.cancel());
  }

  private add(socket: Socket): void {
    const address = socket.remoteAddress;
    const isTrusted = address !== undefined && this.isTrusted(address, 0);
    const { answerMs } = this.options.timings;
    const connection: Connection = { address, isTrusted, open: 0, held: 0, answerMs };
    this.connections.set(socket, connection);
    this.addSpare(socket, connection);
    socket.once('close', () => this.spare.delete(socket));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Browsers open connections in advance; that one of these was not used is nothing to report.
      if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead > 0)
        this.options.refusals.note('slow_headers', { address });
    });
  }

  private addSpare(socket: Socket, { address, isTrusted }: Connection): void {
    this.spare.add(socket, isTrusted ? undefined : (address ?? ''));
  }

  private interceptAll(server: Server): void {
    interceptEvents(server, 'request', ([request, response], handOn) =>
      this.begin(request, response, handOn),
    );
    interceptEvents(server, 'upgrade', ([{ socket }], handOn) => this.upgrade(socket, handOn));
  }

  /** Requests of one connection are handed on one after the other. */
  private begin(request: IncomingMessage, response: ServerResponse, handOn: () => void): void {
    const { socket } = request;
    const connection = this.connections.get(socket);
    // What else was read from a connection that has been closed meanwhile.
    if (!connection || socket.destroyed) return;
    connection.open++;
    response.once('close', () => connection.open--);
    if (connection.open > MAX_PIPELINED) return this.endPipeline(socket, connection);
    if (hasBody(request)) {
      this.bodies.watch(request, response);
      allowEarlyAnswer(this.options.clock, request, response);
    }
    beginInOrder(response, handOn);
  }

  /** It must wait for earlier requests without an answer: their answers come first. */
  private upgrade(socket: Socket, handOn: () => void): void {
    this.spare.delete(socket);
    const connection = this.connections.get(socket);
    if (connection && connection.open > 0) this.endPipeline(socket, connection);
    else handOn();
  }

  private endPipeline(socket: Socket, { address }: Connection): void {
    this.options.refusals.note('pipelined_requests', { address });
    socket.destroy();
  }

  private refuseBody(request: IncomingMessage, response: ServerResponse): void {
    this.options.refusals.note('slow_bodies', { address: request.socket.remoteAddress });
    // Socket.IO answers requests to its path itself.
    if (response.headersSent || !('locals' in response)) return void request.socket.destroy();
    this.options.sendError(
      request as Request,
      response as Response,
      new RequestError('invalid', TOO_SLOW),
      408,
    );
  }

  /** A client that takes nothing of its answer; or an idle connection whose time is over. */
  private endIfStuck(socket: Socket): void {
    const { open = 0, answerMs = 0, address } = this.connections.get(socket) ?? {};
    if (open > 0 && socket.writableLength === 0) return void socket.setTimeout(answerMs);
    if (open > 0) this.options.refusals.note('untaken_answers', { address });
    socket.destroy();
  }
}
