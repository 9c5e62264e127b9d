import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnections, type Connections } from '#connections';
import { createStore } from '#store';
import type { Clock } from '#time';
import type { Question, Reply } from '#tools';

/** The only tool of the suite's servers that want OAuth. */
const LISTED = { tools: [{ name: 'test-tool', inputSchema: { type: 'object' } }] };
/** What the suite expects of clients with a metadata document. */
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

interface Context {
  client_id?: string;
  client_secret?: string;
  issuer?: string;
}

/** The entry of `mcp.json`, as an operator would write it for this scenario. */
export function oauthServer(
  url: string,
  { client_id: clientId, client_secret: clientSecret, issuer }: Context,
) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-conformance-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const tools = join(folder, 'tools.json');
  writeFileSync(tools, JSON.stringify(LISTED));
  const client = clientId === undefined ? {} : { clientId, clientSecret, issuer };
  return { url, scope: 'user', oauth: { tools, clientMetadataUrl: CLIENT_METADATA_URL, ...client } };
}

export async function openConnections(clock: Clock): Promise<Connections> {
  const store = createStore({ dataDir: ':memory:' });
  await store.open();
  const tokenKeys = [randomBytes(32).toString('base64')];
  return createConnections(
    store,
    { tokenKeys, publicUrl: 'http://localhost:3000' },
    { clock, log: console },
  )!;
}

/** A person who opens the address in a browser, and agrees to everything. */
export async function giveAccess(connections: Connections, { connection = '' }: Question): Promise<Reply> {
  const { flow } = (await connections.flows.get(connection))!;
  const answer = await fetch(flow.authorization_url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '', flow.authorization_url).searchParams;
  const given = { code: back.get('code') ?? undefined, iss: back.get('iss') ?? undefined };
  const found = await connections.flows.giveOnce(back.get('state') ?? '', () => flow.browser, given);
  return found ? { action: 'accept', content: {} } : { action: 'decline' };
}
