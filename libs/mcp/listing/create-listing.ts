import type { McpServer } from '../config/mcp-config.js';
import { FixedListing } from './fixed-listing.js';
import { ToolListing, type Listing, type ListingSetup } from './tool-listing.js';

export function createListing(setup: ListingSetup): Listing {
  const { config, onListed } = setup;
  const tools = 'url' in config ? config.oauth?.tools : undefined;
  if (tools) return new FixedListing(tools, onListed);
  return new ToolListing({ ...setup, config: asListed(config) });
}

/** A server that acts for a person is listed with its service token: nobody's account is used. */
export function asListed(config: McpServer): McpServer {
  if (!('url' in config) || config.oauth?.serviceToken === undefined) return config;
  const { oauth, ...server } = config;
  return { ...server, headers: { ...server.headers, Authorization: `Bearer ${oauth.serviceToken}` } };
}
