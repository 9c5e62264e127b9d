export type { Client, Grant, GrantSummary, KnownGrant } from './grants.js';
export type { Flow, OpenedFlow } from './flows.js';
export { CALLBACK_PATH, createConnections, type Connections } from './create-connections.js';
export { revoke } from './revoke.js';
export { isTokenKey } from './token-keys.js';
