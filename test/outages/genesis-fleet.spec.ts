import { beforeAll, expect, it } from '@jest/globals';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { requestJson } from '../e2e/standalone-process.js';

const PATIENCE_MS = 40_000;
const TEST_MS = 90_000;

describeWithServices(['rabbitmq', 'mongo'], '/ws/chat of several gateways', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ gateways: [{}, {}, {}], orchestrators: [{}], workers: [{}] });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);
  endCluster(() => cluster);

  async function begin(url: string): Promise<{ client: GenesisClient; messages: string }> {
    const conversations = `${url}/api/conversations`;
    const { body } = await requestJson<{ id: string }>(conversations, { method: 'POST', json: {} });
    const client = await GenesisClient.open(url);
    client.say(body.id, 'count slowly to 60');
    await client.next('token', 3, PATIENCE_MS);
    return { client, messages: `/api/conversations/${body.id}/messages` };
  }

  /** The length of its first token. */
  async function expectTheRest(url: string, messages: string): Promise<number> {
    const next = await GenesisClient.open(url);
    const complete = await next.next('complete', 1, PATIENCE_MS);
    const { body } = await requestJson<{ id: string; content: string }[]>(url + messages);
    expect(body.at(-1)).toMatchObject({ id: complete.message_id, content: next.text });
    expect(next.types.slice(0, 1)).toEqual(['token']);
    const others = async () => (await cluster.store.listBindings('local', 'genesis-chat')).length === 0;
    await waitFor(others, { what: 'nothing that is kept' });
    next.close();
    return next.of('token')[0]!.content.length;
  }

  it(
    '15 continues at another gateway when a connection is cut',
    async () => {
      const [one, two] = cluster.gateways;
      const { client, messages } = await begin(one!.url);
      client.cut();
      expect(await expectTheRest(two!.url, messages)).toBeGreaterThan(3);
    },
    TEST_MS,
  );

  it(
    '15 continues at another gateway when a connection breaks silently',
    async () => {
      const [, two, three] = cluster.gateways;
      const { client, messages } = await begin(three!.url);
      client.socket.pause();
      expect(await expectTheRest(two!.url, messages)).toBeGreaterThan(3);
      client.cut();
    },
    TEST_MS,
  );

  it(
    '15 continues at another gateway when its own drains and tells it to reconnect',
    async () => {
      const [one, two] = cluster.gateways;
      const { client, messages } = await begin(one!.url);
      const ended = cluster.end(one!, 'SIGTERM');
      expect(await client.closing()).toMatchObject({ code: 1012 });
      expect(await expectTheRest(two!.url, messages)).toBeGreaterThan(3);
      await ended;
    },
    TEST_MS,
  );

  it(
    '15 continues at another gateway when its own is killed as soon as the turn is in the journal',
    async () => {
      const two = cluster.gateways[1]!;
      const doomed = await cluster.add('gateway', { SWITCHYARD_FAULT: 'turn_inserted:kill' });
      const conversations = `${two.url}/api/conversations`;
      const { body } = await requestJson<{ id: string }>(conversations, { method: 'POST', json: {} });
      const client = await GenesisClient.open(doomed.url);
      client.say(body.id, 'count to 60');
      await client.closing();
      await expectTheRest(two.url, `/api/conversations/${body.id}/messages`);
    },
    TEST_MS,
  );

  it(
    '15 continues at another gateway when its own is killed',
    async () => {
      const [one, two] = cluster.gateways;
      const { client, messages } = await begin(one!.url);
      await cluster.end(one!);
      await client.closing();
      expect(await expectTheRest(two!.url, messages)).toBeGreaterThan(3);
    },
    TEST_MS,
  );
});
