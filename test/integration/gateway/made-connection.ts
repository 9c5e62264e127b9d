import { createConnections, type Connections, type Flow } from '#connections';
import type { Store } from '#store';
import { systemTime } from '#time';

export const CONNECTION_SETTINGS = {
  tokenKeys: [Buffer.alloc(32, 7).toString('base64')],
  publicUrl: 'http://localhost:3000',
};
const ISSUER = {
  server: 'notes',
  issuer: 'https://id.example.com',
  resource: 'https://notes.example.com/mcp',
};

/** As a worker has them. */
export function connectionsOf(store: Store, settings = CONNECTION_SETTINGS): Connections {
  return createConnections(store, settings, { ...systemTime(), log: { warn: () => undefined } })!;
}

/** An account that the user has connected; resolves to its id. */
export async function makeConnection({ grants }: Connections, userId: string): Promise<string> {
  const { server, ...place } = ISSUER;
  const tokens = { access_token: 'a-secret-token', token_type: 'Bearer' };
  await grants.save({ userId, ...place }, server, { tokens, client: { client_id: 'us' } });
  return (await grants.list(userId))[0]!.id;
}

/** A call that waits for its user to connect an account. */
export async function makeFlow(
  { flows, redirectUri }: Connections,
  userId: string,
  place: Pick<Flow, 'turn_id' | 'tool_call_id'>,
): Promise<{ id: string; flow: Flow }> {
  const id = flows.idFor(place.tool_call_id, ISSUER.server, 1);
  const keys = flows.newState(id);
  const flow: Flow = {
    ...place,
    ...keys,
    authorization_url: `https://id.example.com/auth?state=${keys.state}`,
    redirect_uri: redirectUri,
    verifier: 'a-secret-verifier',
    client: { client_id: 'us' },
    discovery: {},
  };
  await flows.insert(id, { userId, ...ISSUER }, flow, 3_600_000);
  return { id, flow };
}
