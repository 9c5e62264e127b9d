import { beforeAll, expect, it } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { McpChatClient } from './mcp-chat-client.js';

/** What the contract allows until a killed worker is noticed. */
const NOTICED_MS = 40_000;
const DISCONNECTED = { connected: false, server_id: null, tools: [] };

describeWithServices(['rabbitmq', 'mongo'], 'mcp-chat-sse on several processes', () => {
  let cluster: Cluster;
  let worker: SwitchyardProcess;
  beforeAll(async () => {
    cluster = await Cluster.start({ orchestrators: [{}], workers: [{ TOOLSETS: 'time,artifacts' }] });
    worker = await cluster.add('tool-worker', { TOOLSETS: 'math' });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);
  endCluster(() => cluster);

  const clients = (session: string) =>
    cluster.gateways.map(({ url }) => new McpChatClient(url, { 'X-Session-Id': session }));
  const selects = async (client: McpChatClient, id: string) =>
    waitFor(async () => (await client.connect(id)).status === 200, { what: `a connection to ${id}` });

  it('2, 17 any gateway knows the connection and continues its conversation', async () => {
    const [one, two] = clients('anywhere') as [McpChatClient, McpChatClient];
    await selects(one, 'math');
    await waitFor(async () => (await two.status()).server_id === 'math', { what: 'the other gateway' });
    const asked = await one.stream('what is 17 + 25?');
    expect([asked.starts[0]!.name, asked.text]).toEqual(['add', expect.stringContaining('42')]);
    const told = await two.stream('what was the last result?');
    expect(told).toMatchObject({ conversationId: asked.conversationId, last: '[DONE]' });
    expect(told.text).toContain('42');
  }, 60_000);

  it('19 a restart of all gateways changes nothing', async () => {
    const [one] = clients('restarted') as [McpChatClient];
    await selects(one, 'math');
    const before = await one.status();
    const { conversationId } = await one.stream('hello');
    for (const gateway of [...cluster.gateways]) {
      await cluster.end(gateway);
      await cluster.startAgain(gateway);
    }
    for (const client of clients('restarted')) expect(await client.status()).toEqual(before);
    expect((await clients('restarted')[1]!.stream('hello again')).conversationId).toBe(conversationId);
  }, 120_000);

  it('4, 6 a killed worker disconnects within 40 s, cannot be connected to, and returns by itself', async () => {
    const [one] = clients('killed') as [McpChatClient];
    const [other] = clients('elsewhere') as [McpChatClient];
    await selects(one, 'math');
    await selects(other, 'time');
    const before = await one.status();
    await cluster.end(worker);
    await waitFor(async () => !(await one.status()).connected, { what: 'false', timeoutMs: NOTICED_MS });
    expect(await one.status()).toEqual(DISCONNECTED);
    const refused = await other.connect('math');
    expect([refused.status, refused.body]).toEqual([503, { detail: expect.any(String) }]);
    expect((await other.connect('nope')).status).toBe(404);
    expect(await other.status()).toMatchObject({ connected: true, server_id: 'time' });
    const listed = await one.request<{ id: string }[]>('GET', '/servers');
    expect(listed.body.find(({ id }) => id === 'math')).toEqual({
      id: 'math',
      name: 'math',
      path: 'toolset:math',
    });
    worker = await cluster.add('tool-worker', { TOOLSETS: 'math' });
    await waitFor(async () => (await one.status()).connected, { what: 'true again' });
    expect(await one.status()).toEqual(before);
  }, 120_000);
});
