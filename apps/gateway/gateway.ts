import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Ports } from '#journal';
import { auditLoggerOf, Refusals } from '#observability';
import { createLocalAccounts, type LocalAccounts } from './accounts/create-local-accounts.js';
import { Calls } from './admin/calls.js';
import { DeadLetters } from './admin/dead-letters.js';
import { Artifacts } from './artifacts/artifacts.js';
import type { Store } from '#store';
import type { Time } from '#time';
import { createAuthenticator } from './auth/json-web-token.adapter.js';
import type { OpenLimit } from './auth/open-limit.js';
import { SharedCounts } from './auth/shared-counts.js';
import type { Authenticate, User } from './auth/user.js';
import { Bodies } from './bodies/bodies.js';
import { OfferedModels } from './catalogue/offered-models.js';
import { OfferedTools } from './catalogue/offered-tools.js';
import { DriverRequests } from './control/driver-requests.js';
import { Conversations } from './conversations/conversations.js';
import { Ownership } from './conversations/ownership.js';
import { DialectTurns } from './dialects/dialect-turns.js';
import { createGenesisSockets } from './dialects/genesis-chat/create-genesis-sockets.js';
import type { GenesisSockets } from './dialects/genesis-chat/genesis-sockets.js';
import { createFeeds } from './feeds/create-feeds.js';
import type { Feeds } from './feeds/feeds.js';
import { DirectCalls } from './mcp/direct-calls.js';
import { createMcpServer } from './mcp/mcp-server.adapter.js';
import type { GatewayDeps } from './gateway.deps.js';
import { createAddressOf, type AddressOf } from './safety/client-address.js';
import {
  createArtifactPlaces,
  createConnectionRate,
  createOpenStreams,
  createUnknownSockets,
  createUnreadBytes,
  createUserTraffic,
} from './create-limits.js';
import { Admission } from './socket/admission.js';
import { ConnectionGuard } from './socket/connection-guard.js';
import { SocketRequests } from './socket/socket-requests.js';
import { SocketSessions } from './socket/socket-sessions.js';
import { createSocketRooms } from './socket/socket-viewer.js';
import type { UnknownSockets } from './socket/unknown-sockets.js';
import type { UserTraffic } from './socket/user-traffic.js';
import { AnswerCalls } from './turns/answer-calls.js';
import { StopTurns } from './turns/stop-turns.js';
import { SubmitTurn } from './turns/submit-turn.js';
import { TurnDoor, type DoorLimit } from './turns/turn-door.js';
import { TurnReader } from './turns/turn-reader.js';
import { BudgetDoor } from './usage/budget-door.js';

/** One gateway: who is connected, what they follow, and what they may ask. Its Nest module only wires it. */
export class Gateway {
  /** Only with `AUTH=local`. */
  readonly localAccounts: LocalAccounts | undefined;
  readonly authenticate: Authenticate;
  readonly ownership: Ownership;
  readonly offeredTools: OfferedTools;
  readonly offeredModels: OfferedModels;
  readonly feeds: Feeds;
  readonly turnDoor: TurnDoor;
  readonly submitTurn: SubmitTurn;
  readonly stopTurns: StopTurns;
  readonly answerCalls: AnswerCalls;
  readonly turnReader: TurnReader;
  readonly artifacts: Artifacts;
  readonly conversations: Conversations;
  readonly userTraffic: UserTraffic;
  /** Requests over HTTP that are being answered as long as a turn takes. */
  readonly openStreams: OpenLimit;
  readonly admission: Admission;
  readonly sessions: SocketSessions;
  readonly socketRequests: SocketRequests;
  readonly drivers: DriverRequests;
  readonly deadLetters: DeadLetters;
  readonly calls: Calls;
  readonly mcpServer: McpHttpHandler;
  readonly dialectTurns: DialectTurns;
  readonly store: Store;
  readonly log: GatewayDeps['logger'];
  readonly genesisSockets: GenesisSockets;
  readonly refusals: Refusals;
  /** Of limits that hold for the installation. */
  readonly counts: SharedCounts;
  readonly addressOf: AddressOf;
  readonly unknownSockets: UnknownSockets;
  readonly guard: ConnectionGuard;
  /** Bodies of requests over HTTP. */
  readonly bodies: Bodies;
  readonly time: Time;

  constructor(private readonly deps: GatewayDeps) {
    const { store, bus, processId, peers, config, logger: log, metrics, clock, random, faultPoint } = deps;
    const auditLog = auditLoggerOf(log);
    const about = { store, bus, me: processId, peers, log, auditLog };
    const ports: Ports = { ...about, clock, random, faultPoint };
    this.store = store;
    this.time = { clock, random };
    this.log = log;
    this.refusals = new Refusals(metrics.refusals, log, clock);
    this.bodies = new Bodies({ limits: config.limits, refusals: this.refusals, log, clock });
    this.counts = new SharedCounts(bus, processId, deps);
    this.localAccounts = createLocalAccounts(store, config, this, deps.passwordCost);
    this.authenticate = this.localAccounts?.known.authenticate ?? createAuthenticator(config.auth, clock);
    this.ownership = new Ownership(store);
    this.offeredTools = new OfferedTools(bus, processId, config.offer, deps);
    this.offeredModels = new OfferedModels(bus, processId, this.refusals, deps);
    this.drivers = new DriverRequests(bus, processId, deps);
    this.deadLetters = new DeadLetters({ store, bus, log: auditLog, clock, random });
    this.calls = new Calls(store);
    const openRoom = createSocketRooms(() => this.sessions.server());
    this.feeds = createFeeds(deps, openRoom, (...asked) => this.drivers.peek(...asked));
    this.stopTurns = new StopTurns(ports, this.drivers);
    this.turnDoor = this.createDoor();
    const { ownership, feeds, stopTurns, turnDoor: door, offeredModels: models } = this;
    this.submitTurn = this.createSubmitTurn();
    this.answerCalls = new AnswerCalls(ports, ownership);
    this.turnReader = new TurnReader(store, ownership, clock);
    this.artifacts = new Artifacts(store, ownership, createArtifactPlaces(deps, this.refusals));
    const { submitTurn, turnReader } = this;
    this.dialectTurns = new DialectTurns({ feeds, submitTurn, ownership, turnReader });
    this.mcpServer = this.createMcp();
    this.conversations = new Conversations(store, ownership, stopTurns, ports, door, models);
    this.userTraffic = createUserTraffic(deps, this.refusals);
    this.openStreams = createOpenStreams(config, this.refusals);
    const { limits } = config;
    this.addressOf = createAddressOf(config.trustedProxies);
    this.unknownSockets = createUnknownSockets(deps, this.refusals);
    const unread = createUnreadBytes(config, this.refusals);
    this.guard = new ConnectionGuard({ traffic: this.userTraffic, unread, refusals: this.refusals, clock });
    const isActive = async (user: User) => (await this.localAccounts?.known.isActive(user)) ?? true;
    const count = () => metrics.sockets.set(this.socketCount);
    this.sessions = new SocketSessions(feeds, { clock, maxJoined: limits.joinedPerSocket, count, isActive });
    this.genesisSockets = createGenesisSockets({
      ports,
      turns: this.dialectTurns,
      turnReader,
      traffic: this.userTraffic,
      maxWaiting: limits.requestsPerSocket,
      count,
      isActive,
    });
    this.admission = this.createAdmission();
    this.socketRequests = this.createSocketRequests();
  }

  /** Follows events and asks the workers what they offer. */
  async start(): Promise<void> {
    this.feeds.start();
    await Promise.all([this.offeredTools.callRoll(), this.offeredModels.callRoll()]);
  }

  /**
   * Lets nobody in, answers the requests in hand, and disconnects everybody. `bodies` are read until they are
   * stopped.
   */
  async drain(graceMs: number): Promise<void> {
    this.admission.close();
    this.unknownSockets.stop();
    this.dialectTurns.stop();
    await Promise.all([this.sessions.leaveAll(graceMs), this.genesisSockets.leaveAll(graceMs)]);
    await this.mcpServer.close();
    this.feeds.stop();
    this.offeredTools.close();
    this.counts.stop();
  }

  private createSocketRequests(): SocketRequests {
    const { sessions, feeds, ownership, submitTurn, stopTurns, answerCalls, refusals, log } = this;
    return new SocketRequests({
      sessions,
      feeds,
      ownership,
      submitTurn,
      stopTurns,
      answerCalls,
      traffic: this.userTraffic,
      maxInHand: this.deps.config.limits.requestsPerSocket,
      refusals,
      log,
      clock: this.time.clock,
    });
  }

  private createMcp(): McpHttpHandler {
    const { store, feeds, submitTurn, stopTurns, turnReader, artifacts, ownership, log } = this;
    const { clock, random } = this.deps;
    return createMcpServer({
      offered: this.offeredTools,
      calls: new DirectCalls({ store, feeds, submitTurn, stopTurns, turnReader, clock, random }),
      answers: this.answerCalls,
      artifacts,
      ownership,
      log,
    });
  }

  private createAdmission(): Admission {
    const { config, logger: log } = this.deps;
    return new Admission({
      authenticate: this.authenticate,
      rate: createConnectionRate(this.deps, this.refusals),
      traffic: this.userTraffic,
      guard: this.guard,
      signIn: this.localAccounts ? 'password' : 'token',
      sockets: config.limits.sockets,
      count: () => this.socketCount,
      refusals: this.refusals,
      log,
    });
  }

  /** Sockets of all kinds. */
  private get socketCount(): number {
    return this.sessions.size + this.genesisSockets.size;
  }

  private createSubmitTurn(): SubmitTurn {
    const { store, bus, faultPoint, logger: log, clock, random } = this.deps;
    const { ownership, stopTurns, turnDoor: door, offeredModels: models, refusals } = this;
    const budgets = this.createBudgetDoor();
    const more = { budgets, refusals, log, faultPoint, clock, random };
    return new SubmitTurn({ store, bus, ownership, stopTurns, door, models, ...more });
  }

  private createBudgetDoor(): BudgetDoor {
    const { config, clock } = this.deps;
    return new BudgetDoor(this.store, config.usage.budget, this.refusals, clock);
  }

  private createDoor(): TurnDoor {
    const { bus, config, clock } = this.deps;
    // Without accounts there is nobody to share with.
    const fairShare = config.auth.kind === 'none' ? 1 : config.fairShare;
    const note = (limit: DoorLimit, user_id: string) => this.refusals.note(limit, { user_id });
    const door = new TurnDoor(bus, { ...config.limits, fairShare }, note, clock);
    door.shareWith(this.counts);
    return door;
  }
}
