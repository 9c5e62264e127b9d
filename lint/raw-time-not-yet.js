/** Files that still read the machine's clock or chance. Nothing is added here; the list ends empty. */
export const NOT_YET = [
  'apps/command-line/gateway-api.adapter.ts',
  'apps/gateway/artifacts/artifact-places.ts',
  'apps/gateway/bodies/reading-thread.ts',
  'apps/gateway/bodies/refuse-upload.ts',
  'apps/gateway/http/answers-under-way.ts',
  'apps/gateway/safety/http-connections.ts',
  'apps/gateway/safety/request-id.middleware.ts',
  'apps/gateway/safety/request-places.middleware.ts',
  'apps/gateway/safety/slow-bodies.ts',
  'apps/gateway/socket/connection-guard.ts',
  'apps/gateway/socket/socket-requests.ts',
  'apps/gateway/socket/unknown-sockets.ts',
  'apps/gateway/socket/user-traffic.ts',
  'apps/gateway/start-gateway.app.ts',
  'libs/contracts/new-message.ts',
];
