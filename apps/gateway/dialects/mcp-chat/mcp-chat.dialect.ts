import { Bindings } from '../../people/bindings.js';
import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import type { DialectWire } from '../../door/refusals/dialect-wire.js';
import { ChatController } from './chat.controller.js';
import { CONNECTION_KEPT_MS, Connections, selectionSchema } from './connections.js';
import { OtherMethodsController } from './other-methods.controller.js';
import { ServersController } from './servers.controller.js';
import { seenServersSchema, Servers } from './servers.js';

const PATHS = /^\/(servers|status|disconnect|chat|chat\/stream|connect(\/[^/]*)?)\/?$/i;
const COMMANDS = /^\/(connect|disconnect)(\/|$)/i;

/** REST and Server-Sent Events of the MCP Chat front end. Errors are `{ detail }`. */
const mcpChat: DialectWire = {
  name: 'mcp-chat-sse',
  owns: (path) => PATHS.test(path),
  sendError: (response, error, status) => void response.status(status).json({ detail: error.message }),
  ignoresBody: (path) => COMMANDS.test(path),
  defaultOrigins: ['http://localhost:3000'],
  methods: ['GET', 'POST', 'OPTIONS'],
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};

export const mcpChatDialect: Dialect = {
  ...mcpChat,
  open({ store, offeredTools, turnAdmission: admission, dialectTurns: turns, time }) {
    const { clock, random } = time;
    const seen = new Bindings(store, mcpChat.name, seenServersSchema, { clock });
    const servers = new Servers(offeredTools, seen, clock);
    const kept = { keptMs: CONNECTION_KEPT_MS, clock };
    const selections = new Bindings(store, mcpChat.name, selectionSchema, kept);
    const connections = new Connections({ servers, selections, store, turns, admission, random });
    const controllers = [ServersController, ChatController, OtherMethodsController];
    return { routes: toRoutes({ servers, connections, time }, controllers) };
  },
};
