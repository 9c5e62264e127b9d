import {
  discoverOAuthServerInfo,
  selectResourceURL,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthServerInfo,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Grant } from '#connections';
import { isConfidential } from '../config/oauth-config.js';

/** Who gives access to a server, and what to. */
export interface IssuerInfo {
  /** What the server calls itself; undefined: it says nothing, and requests to the issuer name no resource. */
  resource: string | undefined;
  /** What tokens are kept under. */
  place: { issuer: string; resource: string };
  server: OAuthServerInfo;
}

/** What a server says about its issuer (RFC 9728), and that about itself (RFC 8414). */
export class ServerIssuer {
  /** The last answer. */
  known: IssuerInfo | undefined;
  private asking: Promise<IssuerInfo> | undefined;

  constructor(
    private readonly url: string,
    private readonly fetchFn: FetchLike,
  ) {}

  /** Asks again: the server may have changed its issuer. At most one request at a time. */
  async discover(resourceMetadataUrl: URL | undefined): Promise<IssuerInfo> {
    this.asking ??= this.ask(resourceMetadataUrl).finally(() => (this.asking = undefined));
    return (this.known = await this.asking);
  }

  /** The server's own address only: it cannot make us ask others. */
  ownUrl(resourceMetadataUrl: URL | undefined): URL | undefined {
    return resourceMetadataUrl?.origin === new URL(this.url).origin ? resourceMetadataUrl : undefined;
  }

  private async ask(resourceMetadataUrl: URL | undefined): Promise<IssuerInfo> {
    const { fetchFn } = this;
    const options = { fetchFn, resourceMetadataUrl: this.ownUrl(resourceMetadataUrl) };
    const server = await discoverOAuthServerInfo(this.url, options);
    const { resourceMetadata, authorizationServerMetadata: metadata, authorizationServerUrl } = server;
    // Refuses a resource that is not this server.
    await selectResourceURL(this.url, {} as OAuthClientProvider, resourceMetadata);
    const issuer = metadata?.issuer ?? authorizationServerUrl;
    const resource = resourceMetadata?.resource;
    return { resource, place: { issuer, resource: resource ?? this.url }, server };
  }
}

const revocationSchema = z.object({
  revocation_endpoint: z.string(),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});

/** Where an issuer takes tokens back, out of its metadata. */
export function revocationOf(metadata: unknown): Grant['revocation'] {
  const { data } = revocationSchema.safeParse(metadata);
  if (!data || !URL.canParse(data.revocation_endpoint) || !isConfidential(new URL(data.revocation_endpoint)))
    return undefined;
  const methods =
    data.revocation_endpoint_auth_methods_supported ?? data.token_endpoint_auth_methods_supported;
  return { endpoint: data.revocation_endpoint, ...(methods && { methods }) };
}
