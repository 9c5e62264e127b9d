import { revoke, type Connections, type GrantSummary, type OpenedFlow } from '#connections';
import { idSchema } from '#contracts';
import type { ActionLog, Log } from '#journal';
import type { Clock } from '#time';
import { notFound, RequestError } from '../errors/request-error.js';
import type { User } from '../people/auth/user.js';
import type { AnswerCalls } from '../turns/answer-calls.js';

export interface AccessDeps {
  /** Undefined: without `TOKEN_KEYS` nobody can give access. */
  connections: Connections | undefined;
  answers: Pick<AnswerCalls, 'connected'>;
  actions: Pick<ActionLog, 'note'>;
  clock: Clock;
  log: Log;
}

/** What the person's browser comes back with. */
export interface ComeBack {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

/** The browser's proof that it is the one that left; given with the address, by the name of its flow. */
export interface BrowserCookie {
  name: string;
  value: string;
}

/** `used`: unknown, over, used before, or another browser. `late`: the call no longer waits. */
export type Arrival = 'connected' | 'refused' | 'used' | 'late';

/** People who give MCP servers access to their accounts, see it, and take it back. */
export class AccessByPeople {
  constructor(private readonly deps: AccessDeps) {}

  async list(user: User): Promise<GrantSummary[]> {
    return (await this.deps.connections?.grants.list(user.id)) ?? [];
  }

  /** Ends at the issuer as well, if it takes tokens back: `revoked`. */
  async remove(user: User, id: string): Promise<{ revoked: boolean }> {
    const { connections, clock, actions } = this.deps;
    const removed = idSchema.safeParse(id).success
      ? await connections?.grants.remove(user.id, id)
      : undefined;
    if (removed === undefined) throw notFound();
    actions.note({ audit: 'connection_removed', user_id: user.id, subject: id });
    return { revoked: removed !== null && (await revoke(removed, clock)) };
  }

  /**
   * Where the person goes. The page has to be open at the address that the issuer sends people back to, so that the
   * browser brings the cookie.
   *
   * @param host of the request
   */
  async start(
    user: User,
    id: string,
    host: string | undefined,
  ): Promise<{ authorizationUrl: string; cookie: BrowserCookie; isSecure: boolean }> {
    const { connections, log } = this.deps;
    if (!connections)
      log.warn({}, 'nobody can connect an account: TOKEN_KEYS and PUBLIC_URL are not set here');
    const found = idSchema.safeParse(id).success ? await connections?.flows.getOpen(id, user.id) : undefined;
    if (!found || !connections) throw notFound();
    const { redirect_uri } = found.flow;
    if (redirect_uri !== connections.redirectUri)
      log.warn({ redirect_uri }, 'a tool worker has another PUBLIC_URL: people come back to that one');
    const home = new URL(connections.redirectUri);
    if (host?.toLowerCase() !== home.host)
      throw new RequestError('invalid', `Open this page at ${home.origin} to connect an account.`);
    const cookie = { name: cookieOf(id), value: found.flow.browser };
    return { authorizationUrl: found.flow.authorization_url, cookie, isSecure: home.protocol === 'https:' };
  }

  /** The person is back: the call that waits goes on, and its worker gets the tokens. */
  async comeBack(
    { state, ...given }: ComeBack,
    cookie: (name: string) => string | undefined,
  ): Promise<Arrival> {
    const { connections, log } = this.deps;
    const back = given.code === undefined ? { error: given.error ?? 'none' } : given;
    const found = await connections?.flows.giveOnce(state, (id) => cookie(cookieOf(id)), back);
    if (!found) return 'used';
    try {
      await this.answer(found, given.code !== undefined);
    } catch (error) {
      if (!(error instanceof RequestError))
        log.error({ err: error }, 'a person who connected was not noticed');
      return 'late';
    }
    return given.code === undefined ? 'refused' : 'connected';
  }

  private async answer({ id, about, flow }: OpenedFlow, isGiven: boolean): Promise<void> {
    const { answers, actions } = this.deps;
    const user = { id: about.userId };
    await answers.connected(user, { turn_id: flow.turn_id, tool_call_id: flow.tool_call_id, connection: id });
    if (isGiven)
      actions.note({ audit: 'connection_given', user_id: user.id, subject: about.server.slice(0, 200) });
  }
}

function cookieOf(flowId: string): string {
  return `switchyard-connect-${flowId.slice(0, 16)}`;
}
