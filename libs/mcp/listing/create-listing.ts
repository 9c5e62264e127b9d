import type { McpServer } from '../config/mcp-config.js';
import { FixedListing } from './fixed-listing.js';
import { ToolListing, type Listing, type ListingSetup } from './tool-listing.js';

/** A server that acts for a person is listed with its service token, or not at all. */
export function createListing(setup: ListingSetup): Listing {
  const { config, onListed } = setup;
  if (!('url' in config) || !config.oauth) return new ToolListing(setup);
  const { tools, serviceToken } = config.oauth;
  if (tools) return new FixedListing(tools, onListed);
  return new ToolListing({ ...setup, config: withToken(config, serviceToken!) });
}

function withToken<Server extends McpServer & { headers: Record<string, string> }>(
  config: Server,
  token: string,
): Server {
  return { ...config, headers: { ...config.headers, Authorization: `Bearer ${token}` } };
}
