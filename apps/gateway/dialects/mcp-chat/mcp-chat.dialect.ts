import { Bindings } from '../../people/bindings.js';
import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { ChatController } from './chat.controller.js';
import { CONNECTION_KEPT_MS, Connections, selectionSchema } from './connections.js';
import { mcpChat } from './mcp-chat.js';
import { OtherMethodsController } from './other-methods.controller.js';
import { ServersController } from './servers.controller.js';
import { Servers, seenServersSchema } from './servers.js';

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
