import type { McpConnection, ListedTools } from '../connection/mcp-connection.js';
import type { Listing } from './tool-listing.js';

/** The tools of a server that nobody can list: as the configuration has them. */
export class FixedListing implements Listing {
  readonly connection: McpConnection | undefined;
  readonly prior = undefined;
  readonly retryAfterMs = 0;

  constructor(
    private readonly tools: ListedTools['tools'],
    private readonly onListed: (listed: ListedTools['tools'], version: string | undefined) => void,
  ) {}

  start(): Promise<void> {
    this.onListed(this.tools, undefined);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** The file is read when the worker starts. */
  changed(): void {}

  relist(): void {}
}
