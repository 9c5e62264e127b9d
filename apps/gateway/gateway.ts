import type { ProcessLoad } from '#contracts';
import { ActionLog, type Ports, observeJournal, type JournalObserver } from '#journal';
import { auditLoggerOf, Refusals } from '#observability';
import type { Time } from '#time';
import { createConnections } from '#connections';
import { createLocalAccounts } from './people/accounts/create-local-accounts.js';
import { Calls } from './operator/calls.js';
import { DeadLetters } from './operator/dead-letters.js';
import { FleetReader } from './operator/fleet-reader.js';
import { SwitchBoard } from './operator/switch-board.js';
import { SelfCheck } from './operator/self-check.js';
import { Waits } from './operator/waits.js';
import { AccessByPeople } from './connections/access-by-people.js';
import { Artifacts } from './artifacts/artifacts.js';
import { createAuthenticator } from './people/auth/json-web-token.adapter.js';
import { SharedCounts } from './limits/shared-counts.js';
import type { User } from './people/auth/user.js';
import { Bodies } from './door/bodies/bodies.js';
import { OfferedModels } from './catalogue/offered-models.js';
import { OfferedTools } from './catalogue/offered-tools.js';
import { DriverRequests } from './turns/driver-requests.js';
import { Conversations } from './turns/conversations.js';
import { Ownership } from './turns/ownership.js';
import { DialectTurns } from './dialects/host/dialect-turns.js';
import type { Dialect, DialectHost, OpenDialect } from './dialects/host/dialect.js';
import { chooseDialects } from './dialects/dialects.js';
import { createErrorSender } from './door/refusals/send-error.js';
import { createApprovals, createOtherApprovers, createRoles, offerRules } from './create-access.js';
import { createFeeds } from './create-feeds.js';
import { DirectCalls } from './mcp/direct-calls.js';
import { createMcpServer } from './mcp/mcp-server.adapter.js';
import type { GatewayDeps } from './gateway.deps.js';
import { createAddressOf } from './limits/client-address.js';
import { toOriginRules } from './door/http/origin-rules.js';
import {
  createArtifactPlaces,
  createConnectionRate,
  createOpenStreams,
  createTurnAdmission,
  createUnknownSockets,
  createUnreadBytes,
  createUserTraffic,
} from './create-limits.js';
import { Admission } from './door/sockets/admission.js';
import { ConnectionGuard } from './door/sockets/connection-guard.js';
import { SocketRequests } from './client/socket-requests.js';
import { SocketSessions } from './client/socket-sessions.js';
import { createSocketRooms } from './client/socket-viewer.js';
import { AnswerCalls } from './turns/answer-calls.js';
import { StopTurns } from './turns/stop-turns.js';
import { SubmitTurn } from './turns/submit-turn.js';
import { TurnReader } from './turns/turn-reader.js';
import { BudgetAdmission } from './usage/budget-admission.js';
import { UsageReader } from './usage/usage.js';
import { Wiring } from './wiring.js';

/**
 * One gateway: the connected clients, what they follow, and what they may ask. Everything is wired here and nowhere
 * else: Nest's module provides this object, and each controller takes from it the parts that its constructor names.
 */
export class Gateway extends Wiring<GatewayDeps> implements DialectHost {
  /** `given`: parts to use instead of making them; later parts use them, too. Throws for anything else. */
  constructor(deps: GatewayDeps, given: Partial<Gateway> = {}) {
    super(deps, given);
    this.check();
  }

  readonly store = this.deps.store;
  readonly switches = this.deps.switches;
  readonly log = this.deps.logger;
  private readonly auditLog = auditLoggerOf(this.log);
  readonly ports = toPorts(this.deps, observeJournal(this.auditLog, this.deps.metrics, this.deps.auditTrail));
  readonly actions = this.part('actions', () => {
    const { auditTrail: trail, clock } = this.deps;
    return new ActionLog({ log: this.auditLog, trail, clock });
  });
  readonly time: Time = { clock: this.deps.clock, random: this.deps.random };
  readonly originRules = toOriginRules(this.deps.config);
  readonly maxRequestsInFlight = this.deps.config.limits.requestsPerSocket;
  readonly addressOf = createAddressOf(this.deps.config.trustedProxies);
  readonly refusals = this.part('refusals', () => {
    const { metrics, logger, clock } = this.deps;
    return new Refusals(metrics.refusals, logger, clock);
  });
  /** Bodies of requests over HTTP. */
  readonly bodies = this.part('bodies', () => {
    const { config, logger: log, clock } = this.deps;
    return new Bodies({ limits: config.limits, refusals: this.refusals, log, clock });
  });
  /** Of limits that hold for the installation. */
  readonly counts = this.part('counts', () => {
    return new SharedCounts(this.deps.bus, this.deps.processId, this.deps);
  });
  /** Only with `AUTH=local`. */
  readonly localAccounts = this.part('localAccounts', () => {
    return createLocalAccounts(this.store, this.deps.config, this, this.deps.passwordCost);
  });
  readonly authenticate = this.part('authenticate', () => {
    const { config, clock } = this.deps;
    return this.localAccounts?.known.authenticate ?? createAuthenticator(config.auth, clock);
  });
  readonly roles = this.part('roles', () => createRoles(this.deps.config, this.localAccounts));
  readonly ownership = this.part('ownership', () => new Ownership(this.store));
  readonly offeredTools = this.part('offeredTools', () => {
    const { bus, processId, config } = this.deps;
    return new OfferedTools(bus, processId, offerRules(config, this.roles), this.deps);
  });
  readonly offeredModels = this.part('offeredModels', () => {
    const { bus, processId } = this.deps;
    return new OfferedModels(bus, processId, this.refusals, this.deps);
  });
  readonly drivers = this.part('drivers', () => {
    return new DriverRequests(this.deps.bus, this.deps.processId, this.deps);
  });
  readonly deadLetters = this.part('deadLetters', () => {
    return new DeadLetters({ ...this.ports, actions: this.actions });
  });
  readonly selfCheck = this.part('selfCheck', () => new SelfCheck(this.deps));
  readonly calls = this.part('calls', () => new Calls(this.store));
  readonly fleet = this.part('fleet', () => {
    const { store, bus, peers, clock } = this.deps;
    const { offeredTools: offered, switches } = this;
    return new FleetReader({ store, bus, peers, clock, offered, switches });
  });
  readonly waits = this.part('waits', () => new Waits(this.ports, this.fleet, this.switches));
  readonly switchBoard = this.part('switchBoard', () => {
    const { offeredTools: offered, switches, actions } = this;
    return new SwitchBoard({ ...this.ports, switches, offered, actions });
  });
  readonly usage = this.part('usage', () => {
    return new UsageReader(this.store, this.deps.config.usage.budget, this.time.clock);
  });
  readonly feeds = this.part('feeds', () => {
    const openRoom = createSocketRooms(() => this.sessions.server());
    return createFeeds(this.deps, openRoom, (...asked) => this.drivers.peek(...asked));
  });
  readonly stopTurns = this.part('stopTurns', () => new StopTurns(this.ports, this.drivers));
  readonly turnAdmission = this.part('turnAdmission', () =>
    createTurnAdmission(this.deps, this.refusals, this.counts),
  );
  readonly submitTurn = this.part('submitTurn', () => {
    const { ownership, stopTurns, turnAdmission: admission, offeredModels: models, refusals } = this;
    const budgets = new BudgetAdmission(this.store, this.deps.config.usage.budget, refusals, this.time.clock);
    const parts = { ownership, stopTurns, admission, models, budgets, refusals, roles: this.roles };
    return new SubmitTurn({ ...this.ports, ...parts, switches: this.switches, log: this.log });
  });
  readonly approvals = this.part('approvals', () => {
    const { store, roles, actions, time, localAccounts } = this;
    return createApprovals({ store, roles, actions, clock: time.clock }, localAccounts);
  });
  readonly otherApprovers = this.part('otherApprovers', () =>
    createOtherApprovers(this, this.deps.config, this.approvals),
  );
  readonly answerCalls = this.part('answerCalls', () => {
    return new AnswerCalls(this.ports, this.ownership, this.otherApprovers);
  });
  readonly access = this.part('access', () => {
    const { store, log, actions, answerCalls: answers } = this;
    const { clock, config } = this.deps;
    const connections = config.connections && createConnections(store, config.connections, { clock, log });
    return new AccessByPeople({ connections, answers, actions, clock, log });
  });
  readonly turnReader = this.part('turnReader', () => {
    return new TurnReader(this.store, this.ownership, this.time.clock);
  });
  readonly artifacts = this.part('artifacts', () => {
    return new Artifacts(this.store, this.ownership, createArtifactPlaces(this.deps, this.refusals));
  });
  readonly conversations = this.part('conversations', () => {
    const { ownership, stopTurns, turnAdmission: admission, offeredModels: models } = this;
    return new Conversations(ownership, stopTurns, this.ports, admission, models);
  });
  readonly userTraffic = this.part('userTraffic', () => createUserTraffic(this.deps, this.refusals));
  /** Requests over HTTP whose answer takes as long as a turn. */
  readonly openStreams = this.part('openStreams', () => createOpenStreams(this.deps.config, this.refusals));
  readonly mcpServer = this.part('mcpServer', () => {
    const { offeredTools: offered, answerCalls: answers, artifacts, ownership, log } = this;
    const { store, feeds, submitTurn, stopTurns, turnReader, time } = this;
    const calls = new DirectCalls({ store, feeds, submitTurn, stopTurns, turnReader, ...time });
    return createMcpServer({ offered, calls, answers, artifacts, ownership, log });
  });
  readonly dialectTurns = this.part('dialectTurns', () => new DialectTurns(this));
  readonly unknownSockets = this.part('unknownSockets', () => createUnknownSockets(this.deps, this.refusals));
  readonly guard = this.part('guard', () => {
    const { userTraffic: traffic, refusals, deps } = this;
    const unread = createUnreadBytes(deps.config, refusals);
    return new ConnectionGuard({ traffic, unread, refusals, clock: deps.clock });
  });
  readonly sessions = this.part('sessions', () => {
    return new SocketSessions(this.feeds, {
      clock: this.time.clock,
      maxJoined: this.deps.config.limits.joinedPerSocket,
      count: () => this.countSockets(),
      isActive: (user) => this.isActive(user),
    });
  });
  readonly admission = this.part('admission', () => {
    return new Admission({
      authenticate: this.authenticate,
      rate: createConnectionRate(this.deps, this.refusals),
      traffic: this.userTraffic,
      guard: this.guard,
      signIn: this.localAccounts ? 'password' : 'token',
      drains: () => this.switches.drains,
      sockets: this.deps.config.limits.sockets,
      count: () => this.sockets,
      refusals: this.refusals,
      log: this.log,
    });
  });
  readonly socketRequests = this.part('socketRequests', () => {
    const { sessions, feeds, ownership, submitTurn, stopTurns, answerCalls, refusals, log } = this;
    const { userTraffic: traffic, maxRequestsInFlight: maxInFlight } = this;
    const parts = { sessions, feeds, ownership, submitTurn, stopTurns, answerCalls, refusals, log };
    return new SocketRequests({ ...parts, traffic, maxInFlight, clock: this.time.clock });
  });
  /** Those that are switched on. */
  readonly dialects: readonly Dialect[] = this.part('dialects', () => {
    return chooseDialects(this.deps.config.dialects);
  });
  /** Sends a refusal in the form that the client of its path expects. */
  readonly sendError = createErrorSender(this.dialects);
  readonly openDialects: readonly OpenDialect[] = this.dialects.map((dialect) => dialect.open(this));

  /** Follows events and asks the workers for their offers. */
  async start(): Promise<void> {
    this.feeds.start();
    await Promise.all([this.offeredTools.callRoll(), this.offeredModels.callRoll()]);
  }

  /**
   * Refuses new clients, answers the requests in hand, and disconnects all clients. `bodies` are read until they are
   * stopped.
   */
  async drain(graceMs: number): Promise<void> {
    this.admission.close();
    this.unknownSockets.stop();
    this.dialectTurns.stop();
    const others = this.openDialects.map((dialect) => dialect.drain?.(graceMs));
    await Promise.all([this.sessions.leaveAll(graceMs), ...others]);
    await this.mcpServer.close();
    this.feeds.stop();
    this.offeredTools.close();
    this.counts.stop();
  }

  /** Sockets of all kinds. */
  get sockets(): number {
    return this.openDialects.reduce((sum, dialect) => sum + (dialect.sockets?.() ?? 0), this.sessions.size);
  }

  /** What its beat tells. */
  get load(): ProcessLoad {
    return { sockets: this.sockets, viewers: this.feeds.viewers };
  }

  countSockets(): void {
    this.deps.metrics.sockets.set(this.sockets);
  }

  async isActive(user: User): Promise<boolean> {
    return (await this.localAccounts?.known.isActive(user)) ?? true;
  }
}

function toPorts(deps: GatewayDeps, observer: JournalObserver): Ports {
  const { store, bus, processId: me, peers, logger: log, clock, random, faultPoint } = deps;
  return { store, bus, me, peers, log, observer, clock, random, faultPoint };
}
