import {
  extractWWWAuthenticateParams,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  type AuthProvider,
  type FetchLike,
} from '@modelcontextprotocol/client';
import type { Connections, Grant, KnownGrant } from '#connections';
import type { Clock } from '#time';
import { AccessNeeded, IssuerUnavailable } from './access-needed.js';
import type { IssuerInfo, ServerIssuer } from './server-issuer.js';

/** Tokens that expire this soon are refreshed before they are used. */
const EARLY_MS = 10_000;
/** After any other error the issuer will not accept the tokens later, either. */
const PASSING: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
  'slow_down',
];
/** What a header can hold (RFC 6750, section 2.1, and all other visible characters). */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const LONGEST_LIFE_S = 366 * 86_400;

export interface AccessDeps {
  connections: Connections;
  issuer: ServerIssuer;
  /** For requests to the issuer. */
  fetchFn: FetchLike;
  clock: Pick<Clock, 'wall'>;
  /** The issuer no longer knows us. */
  forgetClient(issuer: string): Promise<void>;
}

interface HeldAccess {
  known: KnownGrant;
  info: IssuerInfo;
}

/** The tokens of one user for one server, as the connection of this user needs them. */
export class UserAccess implements AuthProvider {
  /** The token with which a request was refused. */
  private readonly refused = new WeakMap<Response, string>();

  constructor(
    private readonly deps: AccessDeps,
    private readonly userId: string,
  ) {}

  /** For the requests of the connection: notes which token was refused. */
  watch(fetchFn: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await fetchFn(url, init);
      const sent = new Headers(init?.headers).get('authorization');
      if (response.status === 401 && sent !== null) this.refused.set(response, sent);
      return response;
    };
  }

  /** Undefined: the first request to a server finds out who its issuer is. */
  token(): Promise<string | undefined> {
    return translated(() => this.tokenNow());
  }

  private async tokenNow(): Promise<string | undefined> {
    const held = await this.read();
    const { expires_at = Infinity, tokens } = held?.known.grant ?? {};
    if (!held || expires_at - this.deps.clock.wall() > EARLY_MS || !tokens?.refresh_token)
      return tokens?.access_token;
    return (await this.refresh(held))?.grant.tokens.access_token;
  }

  /** Resolves when another request may succeed. */
  onUnauthorized({ response }: { response: Response }): Promise<void> {
    return translated(() => this.makeUsable(response));
  }

  private async makeUsable(response: Response): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const sent = this.refused.get(response);
    const { issuer } = this.deps;
    if (sent !== undefined || !issuer.known) await issuer.discover(resourceMetadataUrl);
    const held = await this.read();
    const isRefused = held && sent === `Bearer ${held.known.grant.tokens.access_token}`;
    // Another request may have got new tokens since this one was sent.
    const usable = isRefused ? await this.refresh(held) : held;
    if (!usable) throw new AccessNeeded({ resourceMetadataUrl, scope });
  }

  /** The stored tokens, with the issuer that they belong to: they go to no other one. */
  async read(): Promise<HeldAccess | undefined> {
    const info = this.deps.issuer.known;
    const known = info && (await this.deps.connections.grants.get({ userId: this.userId, ...info.place }));
    return known && { known, info };
  }

  private async refresh({ known, info }: HeldAccess): Promise<KnownGrant | undefined> {
    return this.deps.connections.grants.refresh(known, (grant) => this.renew(grant, info));
  }

  private async renew({ tokens, client, ...grant }: Grant, info: IssuerInfo): Promise<Grant | undefined> {
    const { fetchFn, clock } = this.deps;
    const { refresh_token: refreshToken } = tokens;
    if (!refreshToken) return undefined;
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = info.server;
    const options = { metadata, clientInformation: client, refreshToken, resource: info.resource, fetchFn };
    try {
      const renewed = await refreshAuthorization(authorizationServerUrl, options);
      // An issuer may leave out a scope that has not changed.
      return toGrant({ scope: tokens.scope, ...renewed }, { ...grant, client }, clock);
    } catch (error) {
      if (error instanceof OAuthError && !PASSING.includes(error.code)) {
        if (isUnknownClient(error)) await this.deps.forgetClient(info.place.issuer);
        return undefined;
      }
      throw error;
    }
  }
}

/** The issuer does not know us, or not with this secret. */
export function isUnknownClient(error: unknown): boolean {
  const unknown: string = OAuthErrorCode.InvalidClient;
  return error instanceof OAuthError && error.code === unknown;
}

/** What the issuer answered, or a part of the request in it, must reach neither a log nor a model. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AccessNeeded) throw error;
    throw new IssuerUnavailable(error instanceof Error ? error.name : 'unknown');
  }
}

/** Throws for tokens that cannot be used. */
export function toGrant(
  tokens: Grant['tokens'] & { expires_in?: number },
  { client, revocation }: Pick<Grant, 'client' | 'revocation'>,
  clock: Pick<Clock, 'wall'>,
): Grant {
  const { expires_in, ...rest } = tokens;
  const { access_token, refresh_token = access_token } = tokens;
  if (!TOKEN.test(access_token) || !TOKEN.test(refresh_token))
    throw new Error('the issuer gave a token that cannot be sent');
  const lifeS = Math.min(Math.max(0, expires_in ?? NaN), LONGEST_LIFE_S);
  const expires = Number.isNaN(lifeS) ? {} : { expires_at: clock.wall() + lifeS * 1000 };
  return { tokens: rest, client, ...(revocation && { revocation }), ...expires };
}
