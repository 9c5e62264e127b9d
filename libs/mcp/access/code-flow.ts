import {
  auth,
  computeScopeUnion,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Client, Flow, Grant, OpenedFlow } from '#connections';
import type { McpHttpServer, OAuthConfig } from '../config/mcp-config.js';
import { isConfidential } from '../config/oauth-config.js';
import { revocationOf, type IssuerInfo } from './server-issuer.js';
import { toGrant, type AccessDeps } from './user-access.js';

export interface CodeFlowDeps extends AccessDeps {
  server: McpHttpServer & { oauth: OAuthConfig };
}

type Collected = Partial<Pick<Flow, 'authorization_url' | 'verifier' | 'client'>> & {
  discovery?: OAuthDiscoveryState;
  tokens?: StoredOAuthTokens;
};

/** The authorization code flow with PKCE, in two halves: other processes and hours may lie between them. */
export class CodeFlow {
  constructor(private readonly deps: CodeFlowDeps) {}

  /**
   * The first half: registers at the issuer if necessary, and makes the address that the person opens.
   *
   * @param scope what to ask for besides what the configuration names; absent: what the server names
   */
  async begin(
    id: string,
    info: IssuerInfo,
    scope: string | undefined,
  ): Promise<Omit<Flow, 'turn_id' | 'tool_call_id'>> {
    const { server, connections, fetchFn } = this.deps;
    const keys = connections.flows.newState(id);
    const collected: Collected = { discovery: { ...info.server } };
    const wanted = computeScopeUnion(server.oauth.scope, scope);
    await auth(this.provider(collected, keys.state), {
      serverUrl: server.url,
      forceReauthorization: true,
      ...(wanted && { scope: wanted }),
      fetchFn,
    });
    const { authorization_url, verifier, client, discovery } = collected;
    if (!authorization_url || !verifier || !client || !discovery) throw new Error('the flow did not begin');
    if (!isConfidential(new URL(authorization_url)))
      throw new Error('its authorization endpoint is not https://');
    const { redirectUri: redirect_uri } = connections;
    const asked = new URL(authorization_url).searchParams.get('scope') ?? undefined;
    const flow = { authorization_url, verifier, client, discovery: { ...discovery }, ...keys, redirect_uri };
    return { ...flow, ...(asked !== undefined && { scope: asked }) };
  }

  /** The second half: exchanges the code that the person came back with. */
  async finish({ flow, about }: OpenedFlow): Promise<Grant> {
    const { server, fetchFn, clock } = this.deps;
    const { code: authorizationCode, iss } = flow.given ?? {};
    const { client, verifier } = flow;
    const discovery = flow.discovery as unknown as OAuthDiscoveryState;
    const collected: Collected = { client, verifier, discovery };
    await auth(this.provider(collected, flow.state, flow.redirect_uri), {
      serverUrl: server.url,
      authorizationCode,
      iss,
      fetchFn,
    });
    const { tokens } = collected;
    if (!tokens || tokens.issuer !== about.issuer) throw new Error('another issuer answered');
    const { issuer: _stamp, ...rest } = tokens;
    // An issuer may leave out a scope that is the one that was asked for (RFC 6749, section 5.1).
    return toGrant(
      { scope: flow.scope, ...rest },
      { client, revocation: revocationOf(discovery.authorizationServerMetadata) },
      clock,
    );
  }

  private provider(
    collected: Collected,
    state: string,
    redirectUri = this.deps.connections.redirectUri,
  ): OAuthClientProvider {
    const { server, connections } = this.deps;
    const { clientMetadataUrl } = server.oauth;
    return {
      redirectUrl: redirectUri,
      clientMetadata: clientMetadataOf(redirectUri),
      ...(clientMetadataUrl && { clientMetadataUrl }),
      state: () => state,
      clientInformation: async (context) => {
        const client = collected.client ?? (await this.clientAt(context?.issuer ?? ''));
        if (client) collected.client = client;
        return client;
      },
      saveClientInformation: async (client, context) => {
        collected.client = client;
        if (server.oauth.clientId === undefined && context)
          await connections.clients.save(
            { issuer: context.issuer, server: server.name, redirectUri },
            client,
          );
      },
      tokens: () => undefined,
      saveTokens: (tokens) => void (collected.tokens = tokens),
      redirectToAuthorization: (url) => void (collected.authorization_url = url.href),
      saveCodeVerifier: (verifier) => void (collected.verifier = verifier),
      codeVerifier: () => collected.verifier ?? '',
      discoveryState: () => collected.discovery,
      saveDiscoveryState: (discovery) => void (collected.discovery = discovery),
    };
  }

  private async clientAt(issuer: string): Promise<Client | undefined> {
    const { server, connections } = this.deps;
    const { clientId: client_id, clientSecret: client_secret, issuer: only = issuer } = server.oauth;
    if (client_id === undefined) {
      const place = { issuer, server: server.name, redirectUri: connections.redirectUri };
      return connections.clients.get(place);
    }
    if (only !== issuer) throw new Error('the server names another issuer than the configured one');
    return { client_id, ...(client_secret && { client_secret }) };
  }
}

function clientMetadataOf(redirectUri: string): OAuthClientMetadata {
  return {
    client_name: 'Switchyard',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
