import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { createGenesisSockets } from './create-genesis-sockets.js';
import { GenesisChatController } from './genesis-chat.controller.js';
import { genesisChat, SOCKET_PATH } from './genesis-chat.js';
import { createUpgrade } from './take-upgrade.adapter.js';

export const genesisChatDialect: Dialect = {
  ...genesisChat,
  open(gateway) {
    const sockets = createGenesisSockets(gateway);
    return {
      routes: toRoutes({}, [GenesisChatController]),
      upgrade: { path: SOCKET_PATH, take: createUpgrade(gateway, sockets) },
      control: { 'socket.probe': ({ user_id }) => sockets.probe(user_id) },
      sockets: () => sockets.size,
      drain: (graceMs) => sockets.leaveAll(graceMs),
    };
  },
};
