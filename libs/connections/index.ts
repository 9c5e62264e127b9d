export type { Client, Grant, GrantPlace, GrantSummary, KnownGrant } from './grants.js';
export type { Flow, GivenCode, OpenedFlow } from './flows.js';
export {
  CALLBACK_PATH,
  createConnections,
  type Connections,
  type ConnectionSettings,
} from './create-connections.js';
export { isTokenKey } from './token-keys.js';
