import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toPrintable } from '#tools';
import { commandAsUser } from '../config/run-as-user.js';
import { limitedFetch, MAX_MESSAGE_BYTES } from '../limits/limited-fetch.js';
import { LineBuffer } from '../limits/line-buffer.js';
import type { UserAccess } from '../access/user-access.js';
import type { McpServer } from '../config/mcp-config.js';
import type { McpLogger } from '../config/telemetry.js';

const MAX_LINE_LENGTH = 2000;

/** Does not start or connect yet. What a process writes to stderr goes to the log, line by line. */
export function openTransport(
  server: McpServer,
  logger: McpLogger,
  access?: UserAccess,
): StdioClientTransport | StreamableHTTPClientTransport {
  if ('url' in server) {
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers },
      fetch: access ? access.watch(limitedFetch) : limitedFetch,
      ...(access && { authProvider: access, onInsufficientScope: 'throw' as const }),
    });
  }
  const { env, cwd } = server;
  // The transport adds PATH, HOME and the like of our environment, and no more. A program that runs as the same user can
  // still read all of it in /proc.
  const transport = new StdioClientTransport({ ...commandAsUser(server), env, cwd, stderr: 'pipe' });
  // The SDK has no setting for the buffer, and treats a subclass of its transport differently (decision 15).
  transport['_readBuffer'] = new LineBuffer(MAX_MESSAGE_BYTES);
  logLines(transport, server.name, logger);
  return transport;
}

function logLines({ stderr }: StdioClientTransport, server: string, logger: McpLogger): void {
  let rest = '';
  const log = (line: string) => {
    const printable = toPrintable(line, MAX_LINE_LENGTH);
    if (printable !== '') logger.info({ server }, printable);
  };
  stderr?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_LINE_LENGTH);
    lines.forEach(log);
  });
  stderr?.on('end', () => log(rest));
}
