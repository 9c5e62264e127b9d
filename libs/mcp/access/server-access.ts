import { computeScopeUnion, InsufficientScopeError, SdkHttpError } from '@modelcontextprotocol/client';
import type { Connections, OpenedFlow } from '#connections';
import type { Clock } from '#time';
import { ToolError, type ToolContext } from '#tools';
import type { McpServer } from '../config/mcp-config.js';
import type { McpLogger } from '../config/telemetry.js';
import { AccessNeeded, IssuerUnavailable, type Challenge } from './access-needed.js';
import { CodeFlow, type CodeFlowDeps } from './code-flow.js';
import { oauthFetch } from './oauth-fetch.js';
import { ServerIssuer } from './server-issuer.js';
import { isUnknownClient, UserAccess } from './user-access.js';

/** Longer than a question may stay open, which ends before. */
const FLOW_MS = 8 * 86_400_000;
/** How often the store is asked whether the person has given access in another call. */
const LOOK_EVERY_MS = 2_000;
/** How often one call asks its person, or is repeated. */
const MAX_ROUNDS = 3;

export interface ServerAccessDeps {
  server: CodeFlowDeps['server'];
  connections: Connections;
  clock: Clock;
  logger: McpLogger;
}

type Caller = Pick<ToolContext, 'userId' | 'turnId' | 'toolCallId' | 'signal' | 'ask'>;

/** The access of all users to one server: whose call lacks it asks its person, and goes on with it. */
export class ServerAccess {
  private readonly deps: CodeFlowDeps & ServerAccessDeps;
  private readonly flow: CodeFlow;

  constructor(deps: ServerAccessDeps) {
    const { server, connections, clock } = deps;
    const fetchFn = oauthFetch(server.url, clock);
    const forgetClient = (issuer: string) =>
      connections.clients.forget({ issuer, server: server.name, redirectUri: connections.redirectUri });
    this.deps = { ...deps, fetchFn, forgetClient, issuer: new ServerIssuer(server.url, fetchFn) };
    this.flow = new CodeFlow(this.deps);
  }

  of(userId: string): UserAccess {
    return new UserAccess(this.deps, userId);
  }

  /**
   * Runs the work of a call, again after its person has given access. Nothing was done by a request that was refused, so
   * this holds for calls of every class. Throws `ToolError` when there is no access.
   */
  async during<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof IssuerUnavailable) throw this.unavailable(error);
        const challenge = challengeOf(error);
        if (!challenge) throw error;
        if (round > MAX_ROUNDS) throw this.refused('did not accept the access that was given');
        // A repeat finds out whether the token can be refreshed.
        if (challenge !== 'repeat') await this.connect(caller, round, challenge);
      }
    }
  }

  private async connect(
    caller: Caller,
    round: number,
    challenge: Challenge & { more?: true },
  ): Promise<void> {
    const { server, connections } = this.deps;
    const id = connections.flows.idFor(caller.toolCallId, server.name, round);
    const begun = await this.begin(id, caller, challenge).catch((error: unknown) => {
      throw this.unavailable(error);
    });
    if (!begun) return;
    const { action } = await this.ask(id, caller, begun.before);
    // The answer may have been lost on its way from the gateway: what the person came back with counts.
    if (action !== 'decline' && (await this.finish(id))) return;
    await connections.flows.drop(id);
    // An issuer that has forgotten us tells only the person, whom it does not send back.
    await this.deps.forgetClient(this.deps.issuer.known?.place.issuer ?? '');
    if (action === 'decline') throw this.refused('needs access to an account, which the person declined');
    // Another attempt of the call took it: a repeat of the call finds what came of it.
    const now = await this.versionOf(caller.userId);
    if (action === 'accept' || (now !== undefined && now !== begun.before)) return;
    throw this.refused('needs access to an account, which was not given in time');
  }

  /**
   * Undefined when there is access meanwhile; `before`: the version of an access that does not suffice. A flow of an
   * earlier attempt of the call stays.
   */
  private async begin(
    id: string,
    caller: Caller,
    { more, ...challenge }: Challenge & { more?: true },
  ): Promise<{ before: string | undefined } | undefined> {
    const { server, connections, issuer } = this.deps;
    const info = await issuer.discover(challenge.resourceMetadataUrl);
    const held = await this.of(caller.userId).read();
    if (held && !more) return undefined;
    const before = held?.known.version;
    if (await connections.flows.get(id)) return { before };
    const scope = computeScopeUnion(held?.known.grant.tokens.scope, challenge.scope);
    const flow = await this.flow.begin(id, info, scope);
    const about = { userId: caller.userId, server: server.name, ...info.place };
    const { turnId: turn_id, toolCallId: tool_call_id } = caller;
    await connections.flows.insert(id, about, { ...flow, turn_id, tool_call_id }, FLOW_MS);
    return { before };
  }

  /** Until the person comes back, or has given access in another call. */
  private async ask(
    id: string,
    caller: Caller,
    before: string | undefined,
  ): Promise<Awaited<ReturnType<ToolContext['ask']>>> {
    const { server, connections, clock } = this.deps;
    const over = new AbortController();
    let wasBack = false;
    const timer = clock.every(
      LOOK_EVERY_MS,
      () => {
        const look = async () => {
          const now = await this.versionOf(caller.userId);
          const isBack = (await connections.flows.get(id))?.flow.given !== undefined;
          // The gateway that the person came back to answers the question, unless it was lost.
          if ((isBack && wasBack) || (now !== undefined && now !== before)) over.abort();
          wasBack = isBack;
        };
        look().catch(() => undefined);
      },
      { unref: true },
    );
    const message = `${server.name} acts with your account there. Connect it at ${new URL(connections.redirectUri).origin}.`;
    const question = { message, schema: { type: 'object', properties: {} }, connection: id };
    try {
      return await caller.ask(question, { signal: over.signal });
    } finally {
      timer.cancel();
    }
  }

  private async versionOf(userId: string): Promise<string | undefined> {
    return (await this.of(userId).read())?.known.version;
  }

  /** False when there is nothing to exchange. */
  private async finish(id: string): Promise<boolean> {
    const { server, connections, logger } = this.deps;
    const taken = await connections.flows.take(id);
    if (!taken) return false;
    const { about, flow } = taken;
    if (flow.given?.code === undefined)
      throw this.refused('needs access to an account, which its issuer refused');
    await this.save(taken).catch(async (error: unknown) => {
      const reason = error instanceof Error ? error.name : 'unknown';
      if (isUnknownClient(error)) await this.deps.forgetClient(about.issuer);
      const fields = { server: server.name, issuer: about.issuer, reason };
      logger.warn(fields, 'access to an MCP server was not given');
      throw this.refused('needs access to an account, which its issuer did not give');
    });
    return true;
  }

  private async save(taken: OpenedFlow): Promise<void> {
    const { server, connections } = this.deps;
    const grant = await this.flow.finish(taken);
    await connections.grants.save(taken.about, server.name, grant);
  }

  private refused(why: string): ToolError {
    const error_message = `The MCP server ${this.deps.server.name} ${why}.`;
    return new ToolError({ error_type: 'AuthenticationError', error_message });
  }

  private unavailable(error: unknown): ToolError {
    const { server, logger } = this.deps;
    const name = error instanceof Error ? error.name : 'unknown';
    const reason = error instanceof IssuerUnavailable ? error.reason : name;
    logger.warn({ server: server.name, reason }, 'the issuer of an MCP server could not be asked');
    const error_message = `The MCP server ${server.name} needs access to an account, and its issuer cannot be asked now.`;
    return new ToolError({ error_type: 'DependencyUnavailable', error_message });
  }
}

/** Undefined for a server that does not act for a person. */
export function createAccess(
  server: McpServer,
  { connections, clock, logger }: Pick<ServerAccessDeps, 'clock' | 'logger'> & { connections?: Connections },
): ServerAccess | undefined {
  if (!('url' in server) || !server.oauth || !connections) return undefined;
  return new ServerAccess({ server: { ...server, oauth: server.oauth }, connections, clock, logger });
}

/** `repeat`: the stored token was tried for the first time, and refused. `more`: it was accepted, but not for this. */
function challengeOf(error: unknown): (Challenge & { more?: true }) | 'repeat' | undefined {
  if (error instanceof AccessNeeded) return error.challenge;
  if (error instanceof InsufficientScopeError)
    return { scope: error.requiredScope, resourceMetadataUrl: error.resourceMetadataUrl, more: true };
  return error instanceof SdkHttpError && error.status === 401 ? 'repeat' : undefined;
}

/** Whether the error concerns one user's access, and says nothing about the server. */
export function isAccessError(error: unknown): boolean {
  return error instanceof IssuerUnavailable || challengeOf(error) !== undefined;
}
