import type { Clock } from '#time';
import { Clients } from './clients.js';
import { Flows } from './flows.js';
import { Grants } from './grants.js';
import type { ConnectionLog, RowStore } from './sealed-row.js';
import { TokenKeys } from './token-keys.js';

/** The access that people have given us to MCP servers, and how they give it. */
export interface Connections {
  grants: Grants;
  clients: Clients;
  flows: Flows;
  /** Where issuers send people back to. */
  redirectUri: string;
}

/** The gateway's route to which issuers send people back. */
export const CALLBACK_PATH = '/api/connections/callback';

export interface ConnectionSettings {
  /** 32 bytes each, base64: the first one encrypts. */
  tokenKeys: readonly string[] | undefined;
  /** The origin at which people open the page. */
  publicUrl: string | undefined;
}

/** Undefined without a key or an address: nobody can give access. */
export function createConnections(
  store: RowStore,
  { tokenKeys, publicUrl }: ConnectionSettings,
  { clock, log }: { clock: Pick<Clock, 'now' | 'wall' | 'sleep'>; log: ConnectionLog },
): Connections | undefined {
  if (tokenKeys === undefined || publicUrl === undefined) return undefined;
  const deps = { store, keys: TokenKeys.from(tokenKeys), clock, log };
  return {
    grants: new Grants(deps),
    clients: new Clients(deps),
    flows: new Flows(deps),
    redirectUri: `${publicUrl}${CALLBACK_PATH}`,
  };
}
