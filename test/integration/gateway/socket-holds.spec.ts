import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { GenesisClient } from '../dialects/genesis-client.js';
import { WatchedGateway } from './holds.js';
import { RawClient } from './raw-client.js';

let gateway: WatchedGateway;

beforeAll(async () => {
  gateway = await WatchedGateway.start();
});
afterEach(() => gateway.endTurns());
afterAll(() => gateway.stop());

const SAY = '42["message",{"content":"hello"}]';

async function conversation(): Promise<string> {
  const client = await gateway.harness.connect();
  const { conversation_id } = await client.send('hello');
  client.close();
  await gateway.idle();
  return conversation_id;
}

/** Cut off without a word. */
async function cutOff(...clients: (RawClient | GenesisClient)[]): Promise<void> {
  for (const { socket } of clients) socket.terminate();
  await gateway.holding('sockets', 0);
}

it('no resources are held for a socket that breaks off in the middle of a turn', async () => {
  const raw = await RawClient.enter(gateway.harness.url);
  raw.socket.send(SAY);
  await gateway.holding('viewers', 1);
  await cutOff(raw);
  await gateway.idle();
  expect(await gateway.unended()).toHaveLength(1);
});

it.each(['getTurn', 'insertTurn'] as const)(
  'no resources are held for a socket that breaks off during %s',
  async (operation) => {
    const raw = await RawClient.enter(gateway.harness.url);
    await gateway.during(
      operation,
      () => raw.socket.send(SAY),
      () => cutOff(raw),
    );
    await gateway.idle();
  },
);

it('no resources are held for a socket that breaks off while its conversation is read', async () => {
  const id = await conversation();
  const raw = await RawClient.enter(gateway.harness.url);
  await gateway.during(
    'readJournals',
    () => raw.socket.send(`42["join",{"conversation_id":"${id}"}]`),
    () => cutOff(raw),
  );
  await gateway.idle();
});

it('no resources are held for a socket that breaks off before it is authenticated', async () => {
  const raw = RawClient.open(gateway.harness.url);
  await waitFor(() => raw.packets('0').length > 0, { what: 'the handshake' });
  expect(gateway.holds.timers).toBeGreaterThan(0);
  raw.socket.terminate();
  await gateway.idle();
});

const message = (conversation_id: string) =>
  JSON.stringify({ type: 'message', conversation_id, content: 'hello' });

it('no resources are held for a /ws/chat that breaks off while it looks for turns to resume', async () => {
  const id = await conversation();
  const client = await GenesisClient.open(gateway.harness.url);
  client.socket.send(message(id));
  await gateway.holding('viewers', 1);
  // Finds a turn that another socket is told of, which is open as far as is known: it looks again.
  const other = await GenesisClient.open(gateway.harness.url);
  await gateway.holding('sockets', 2);
  await cutOff(client, other);
  await gateway.idle();
});

it.each(['getTurn', 'insertTurn'] as const)(
  'no resources are held for a /ws/chat that breaks off during %s',
  async (operation) => {
    const id = await conversation();
    const client = await GenesisClient.open(gateway.harness.url);
    await gateway.during(
      operation,
      () => client.socket.send(message(id)),
      () => cutOff(client),
    );
    await gateway.idle();
  },
);

it('held resources are exposed as metrics', async () => {
  const { url } = gateway.harness;
  const figures = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.match(/^switchyard_(feeds|viewers) \d+$/gm);
  };
  expect(await figures()).toEqual(['switchyard_viewers 0', 'switchyard_feeds 0']);
  const client = await gateway.harness.connect();
  await client.send('hello');
  expect(await figures()).toEqual(['switchyard_viewers 1', 'switchyard_feeds 1']);
  client.close();
  await gateway.idle();
  expect(await figures()).toEqual(['switchyard_viewers 0', 'switchyard_feeds 0']);
});
