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
import { AccessNeeded } from './access-needed.js';
import type { IssuerInfo, ServerIssuer } from './server-issuer.js';

/** Tokens that expire this soon are refreshed before they are used. */
const EARLY_MS = 10_000;
/** After these the issuer will not accept the tokens later, either. */
const FINAL: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  OAuthErrorCode.InvalidScope,
  OAuthErrorCode.InvalidTarget,
  OAuthErrorCode.UnsupportedGrantType,
];

export interface AccessDeps {
  connections: Connections;
  issuer: ServerIssuer;
  /** For requests to the issuer. */
  fetchFn: FetchLike;
  clock: Pick<Clock, 'wall'>;
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
  async token(): Promise<string | undefined> {
    const held = await this.read();
    const { expires_at = Infinity, tokens } = held?.known.grant ?? {};
    if (!held || expires_at - this.deps.clock.wall() > EARLY_MS || !tokens?.refresh_token)
      return tokens?.access_token;
    return (await this.refresh(held))?.grant.tokens.access_token;
  }

  /** Resolves when another request may succeed. */
  async onUnauthorized({ response }: { response: Response }): Promise<void> {
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
      if (error instanceof OAuthError && FINAL.includes(error.code)) return undefined;
      throw error;
    }
  }
}

export function toGrant(
  tokens: Grant['tokens'] & { expires_in?: number },
  { client, revocation }: Pick<Grant, 'client' | 'revocation'>,
  clock: Pick<Clock, 'wall'>,
): Grant {
  const { expires_in, ...rest } = tokens;
  const expires = expires_in === undefined ? {} : { expires_at: clock.wall() + expires_in * 1000 };
  return { tokens: rest, client, ...(revocation && { revocation }), ...expires };
}
