import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider, type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider';

/** What the issuer keeps, by kind of model. */
class Kept implements Adapter {
  private static readonly all = new Map<string, Map<string, AdapterPayload>>();

  constructor(private readonly kind: string) {}

  private get rows(): Map<string, AdapterPayload> {
    const rows = Kept.all.get(this.kind) ?? new Map<string, AdapterPayload>();
    Kept.all.set(this.kind, rows);
    return rows;
  }
  static forget(kind: string): void {
    Kept.all.get(kind)?.clear();
  }
  static size(kind: string): number {
    return Kept.all.get(kind)?.size ?? 0;
  }
  async upsert(id: string, payload: AdapterPayload) {
    this.rows.set(id, payload);
  }
  async find(id: string) {
    return this.rows.get(id);
  }
  async findByUserCode() {
    return undefined;
  }
  async findByUid(uid: string) {
    return [...this.rows.values()].find((row) => row.uid === uid);
  }
  async consume(id: string) {
    Object.assign(this.rows.get(id) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
  }
  async destroy(id: string) {
    this.rows.delete(id);
  }
  async revokeByGrantId(grantId: string) {
    for (const [id, row] of this.rows) if (row.grantId === grantId) this.rows.delete(id);
  }
}

/**
 * A real authorization server (`oidc-provider`) at 127.0.0.1: registers clients, and asks people with a page that has one
 * button. The person of a request is its `login_hint`, or who `person` says.
 */
export class AccountIssuer {
  /** Who is at the browser. */
  person = 'nobody';
  /** Requests to the token endpoint, by grant type, refused ones included. */
  readonly tokenRequests: string[] = [];
  /** What the token endpoint answers instead, with the status 500, to the body of a request. */
  brokenAnswer: ((body: string) => string) | undefined;
  private server!: Server;
  private provider!: Provider;

  /** @param resource the only one that tokens are for */
  static async start(resource: string): Promise<AccountIssuer> {
    const issuer = new AccountIssuer();
    issuer.server = createServer((request, response) => void issuer.serve(request, response));
    issuer.server.listen(0, '127.0.0.1');
    await once(issuer.server, 'listening');
    issuer.provider = new Provider(issuer.url, configure(resource));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whose token it is; undefined for one that is not valid. */
  async accountOf(
    token: string,
  ): Promise<{ account: string; audience: string; expiresAt: number } | undefined> {
    const found = await this.provider.AccessToken.find(token);
    if (!found?.isValid) return undefined;
    return { account: found.accountId, audience: String(found.aud), expiresAt: found.exp! };
  }

  /** All access tokens are over; they can be refreshed. */
  expireTokens(): void {
    Kept.forget('AccessToken');
  }

  /** Nobody's access holds any more. */
  revokeAll(): void {
    for (const kind of ['AccessToken', 'RefreshToken', 'Grant', 'Session']) Kept.forget(kind);
  }

  /** Registrations are over, and with them all access. */
  forgetClients(): void {
    this.revokeAll();
    Kept.forget('Client');
  }

  /** Accesses that hold. */
  get refreshTokens(): number {
    return Kept.size('RefreshToken');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    if (pathname.startsWith('/interaction/')) {
      if (pathname.endsWith('/allow')) return this.allow(request, response);
      response.setHeader('content-type', 'text/html');
      return void response.end(`<title>Sign in</title><a id="allow" href="${pathname}/allow">Allow</a>`);
    }
    if (pathname === '/token' && this.brokenAnswer) {
      const body = await text(request);
      return void response.writeHead(500).end(this.brokenAnswer(body));
    }
    if (pathname === '/token') {
      // The body is read by the provider.
      request.on('data', (chunk: Buffer) => {
        this.tokenRequests.push(new URLSearchParams(chunk.toString()).get('grant_type') ?? '');
      });
    }
    void this.provider.callback()(request, response);
  }

  private async allow(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this;
    // The page of the button has this path in its cookie.
    request.url = request.url!.replace(/\/allow$/, '');
    const { params, prompt, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const accountId = typeof params.login_hint === 'string' ? params.login_hint : this.person;
      await provider.interactionFinished(request, response, { login: { accountId, remember: false } });
      return;
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id as string });
    grant.addOIDCScope(String(params.scope ?? 'openid'));
    grant.addResourceScope(String(params.resource), 'notes');
    const grantId = await grant.save();
    await provider.interactionFinished(
      request,
      response,
      { consent: { grantId } },
      { mergeWithLastSubmission: true },
    );
  }
}

function configure(resource: string): Configuration {
  return {
    adapter: Kept,
    cookies: { keys: ['a key of a test'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo: () => ({ scope: 'notes', audience: resource, accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access', 'notes'],
    ttl: {
      AccessToken: 3600,
      RefreshToken: 86_400,
      Session: 3600,
      Interaction: 600,
      Grant: 86_400,
      IdToken: 3600,
    },
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  };
}
