import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { AccountIssuer } from './account-issuer.js';

/** The result of `tools/list`, as an operator keeps it in a file. */
export const LISTED = {
  tools: [{ name: 'whoami', description: 'Says whose account it is.', inputSchema: { type: 'object' } }],
};

/** A real MCP server behind a real authorization server: its tool says whose account it acts with. */
export class AccountMcpServer {
  issuer!: AccountIssuer;
  /** Bearer tokens of requests, refused ones included. */
  readonly tokens = new Set<string>();
  /** May list the tools, and nothing else. */
  readonly serviceToken = 'a-service-token';
  /** Where it sends every request instead. */
  redirectTo: string | undefined;
  private server!: Server;
  private readonly handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: 'accounts', version: '1.0.0' });
    server.registerTool('whoami', { description: LISTED.tools[0]!.description }, () => ({
      content: [{ type: 'text', text: `account ${String(authInfo?.extra?.account)}` }],
    }));
    return server;
  });

  static async start(): Promise<AccountMcpServer> {
    const accounts = new AccountMcpServer();
    accounts.server = createServer((request, response) => void accounts.serve(request, response));
    accounts.server.listen(0, '127.0.0.1');
    await once(accounts.server, 'listening');
    accounts.issuer = await AccountIssuer.start(accounts.url);
    return accounts;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    await this.handler.close();
    this.server.closeAllConnections();
    await Promise.all([new Promise((resolve) => this.server.close(resolve)), this.issuer.stop()]);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answer(toWebRequest(request, new URL(request.url ?? '/', this.url)));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body).pipe(response);
    else response.end();
  }

  private async answer(request: Request): Promise<Response> {
    if (this.redirectTo !== undefined)
      return new Response(null, { status: 307, headers: { location: this.redirectTo } });
    const metadataUrl = new URL('/.well-known/oauth-protected-resource/mcp', this.url);
    if (request.url === metadataUrl.href)
      return Response.json({
        resource: this.url,
        authorization_servers: [this.issuer.url],
        scopes_supported: ['notes'],
      });
    if (new URL(request.url).pathname !== '/mcp') return new Response('', { status: 404 });
    const gate = requireBearerAuth({
      verifier: { verifyAccessToken: (token) => this.verify(token) },
      resourceMetadataUrl: metadataUrl.href,
      expectedResource: new URL(this.url),
    });
    const allowed = await gate(request);
    return allowed instanceof Response ? allowed : this.handler.fetch(request, { authInfo: allowed });
  }

  private async verify(token: string) {
    this.tokens.add(token);
    const inAnHour = Math.floor(Date.now() / 1000) + 3600;
    const service = { account: 'nobody', audience: this.url, expiresAt: inAnHour };
    const found = token === this.serviceToken ? service : await this.issuer.accountOf(token);
    if (!found) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown token');
    const { account, audience, expiresAt } = found;
    return {
      token,
      clientId: 'any',
      scopes: ['notes'],
      expiresAt,
      resource: new URL(audience),
      extra: { account },
    };
  }
}

function toWebRequest(request: IncomingMessage, url: URL): Request {
  const { method = 'GET', headers } = request;
  const body = method === 'POST' ? { body: Readable.toWeb(request), duplex: 'half' } : {};
  return new Request(url, { method, headers, ...body } as RequestInit);
}
