export type { Client, Grant, KnownGrant } from './grants.js';
export type { Flow, OpenedFlow } from './flows.js';
export { createConnections, type Connections } from './create-connections.js';
export { isTokenKey } from './token-keys.js';
