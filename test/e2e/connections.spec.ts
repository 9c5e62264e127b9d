import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import mongoose from 'mongoose';
import { AccountMcpServer, LISTED } from '../fakes/account-mcp-server.js';
import { walkToCallback } from '../fakes/account-person.js';
import { findFreePort } from '../services/free-port.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { newFolder, removeFolders, requestJson } from './standalone-process.js';
import type { Viewer } from './viewer.js';

const PATIENCE = { timeoutMs: 60_000 };

/*
 * Several processes of each kind, a real MCP server and a real authorization server; the person is no browser here.
 */
describeWithServices(['rabbitmq', 'mongo'], 'accounts that people connect, in a fleet', () => {
  let accounts: AccountMcpServer;
  let cluster: Cluster;
  let viewer: Viewer;

  beforeAll(async () => {
    accounts = await AccountMcpServer.start();
    const [folder, port] = [await newFolder(), String(await findFreePort())];
    const server = { url: accounts.url, scope: 'user', oauth: { tools: 'tools.json' }, class: 'read' };
    await writeFile(join(folder, 'tools.json'), JSON.stringify(LISTED));
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: server } }));
    const keys = {
      TOKEN_KEYS: randomBytes(32).toString('base64'),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const worker = { ...keys, MCP_CONFIG: join(folder, 'mcp.json') };
    cluster = await Cluster.start({
      gateways: [{ ...keys, PORT: port }, keys],
      workers: [worker, worker],
    });
  }, CLUSTER_START_MS);
  beforeEach(async () => {
    viewer = await cluster.view();
  });
  endCluster(
    () => cluster,
    () => [accounts?.stop(), removeFolders()],
  );

  const asked = (turnId: string) => viewer.events('input_required').find(({ turn_id }) => turn_id === turnId);

  async function ask() {
    const sent = await viewer.send('call notes__whoami with {}');
    await viewer.join(sent.conversation_id);
    return sent;
  }

  const answerOf = async ({ conversation_id, turn_id }: Awaited<ReturnType<typeof ask>>) => {
    const turn = await viewer.ended(conversation_id, turn_id, PATIENCE.timeoutMs);
    return turn.steps.flatMap((step) => step.calls).map((call) => JSON.stringify(call));
  };

  /** The person leaves by one gateway, and comes back by another one: a load balancer does not care. */
  async function connect(id: string, person: string, [out, back]: SwitchyardProcess[]): Promise<string> {
    const started = await fetch(`${out!.url}/api/connections/${id}/start`, { method: 'POST' });
    const { authorization_url } = (await started.json()) as { authorization_url: string };
    const cookie = started.headers
      .getSetCookie()
      .map((line) => line.split(';')[0]!)
      .join('; ');
    const { pathname, search } = await walkToCallback(authorization_url, person);
    const page = await fetch(`${back!.url}${pathname}${search}`, { headers: { cookie } });
    return page.text();
  }

  it('are waited for although the worker dies, and the person comes back to another gateway', async () => {
    await cluster.settled();
    const sent = await ask();
    await waitFor(() => asked(sent.turn_id), { what: 'the question', ...PATIENCE });
    const { tool_call_id, connection } = asked(sent.turn_id)!;
    await cluster.end(await cluster.ownerOf(tool_call_id));
    const isTakenOver = async () => (await cluster.store.listClaims(tool_call_id)).length > 1;
    await waitFor(isTakenOver, { what: 'the second attempt', ...PATIENCE });
    expect(await connect(connection!, 'ann-there', cluster.gateways)).toContain('Connected');
    expect(await answerOf(sent)).toEqual([expect.stringContaining('account ann-there')]);
    expect(await answerOf(await ask())).toEqual([expect.stringContaining('account ann-there')]);
    expect(accounts.issuer.tokenRequests).toEqual(['authorization_code']);
  });

  it('are kept where nobody reads a token', async () => {
    const client = await mongoose.mongo.MongoClient.connect(cluster.mongodbUrl);
    try {
      const collections = await client.db().collections();
      const rows = await Promise.all(collections.map((collection) => collection.find().toArray()));
      const written = JSON.stringify([rows, cluster.all.map(({ log }) => log)]);
      expect(written).toContain('notes');
      expect(accounts.tokens.size).toBeGreaterThan(0);
      for (const token of accounts.tokens) expect(written).not.toContain(token);
    } finally {
      await client.close();
    }
  });

  it('are given back from any gateway, and asked for again', async () => {
    const [one, two] = cluster.gateways;
    const list = async () =>
      (await requestJson<{ connections: { id: string }[] }>(`${two!.url}/api/connections`)).body.connections;
    const [connection] = await list();
    const removed = await requestJson(`${one!.url}/api/connections/${connection!.id}`, { method: 'DELETE' });
    expect(removed.body).toEqual({ revoked: true });
    expect(await list()).toEqual([]);
    const sent = await ask();
    await waitFor(() => asked(sent.turn_id), { what: 'the question', ...PATIENCE });
    const { tool_call_id } = asked(sent.turn_id)!;
    await viewer.request('input', { turn_id: sent.turn_id, tool_call_id, action: 'decline' });
    expect(await answerOf(sent)).toEqual([expect.stringContaining('declined')]);
  });
});
