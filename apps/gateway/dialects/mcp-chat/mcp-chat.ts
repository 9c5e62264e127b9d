import type { DialectWire } from '../../door/refusals/dialect-wire.js';

const PATHS = /^\/(servers|status|disconnect|chat|chat\/stream|connect(\/[^/]*)?)\/?$/i;
const COMMANDS = /^\/(connect|disconnect)(\/|$)/i;

/** REST and Server-Sent Events of the MCP Chat front end. Errors are `{ detail }`. */
export const mcpChat: DialectWire = {
  name: 'mcp-chat-sse',
  owns: (path) => PATHS.test(path),
  sendError: (response, error, status) => void response.status(status).json({ detail: error.message }),
  ignoresBody: (path) => COMMANDS.test(path),
  defaultOrigins: ['http://localhost:3000'],
  methods: ['GET', 'POST', 'OPTIONS'],
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
