import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { McpChatClient, readStrictly } from '../../e2e/mcp-chat-client.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';
import { ServerSockets } from '../server-sockets.js';
import { openRaw } from './raw-http.js';

/** Far more than may wait in the process. */
const LONG_TEXT = 'One of very many words, 😀. '.repeat(50_000);

let harness: Harness;
let client: McpChatClient;
let isStoreGone = false;
const sockets = new ServerSockets();

beforeAll(async () => {
  sockets.note();
  harness = await startHarness({
    alter: ({ store }) => {
      const getOutcome = store.getOutcome.bind(store);
      store.getOutcome = (id) =>
        isStoreGone ? Promise.reject(new StoreUnavailableError('down')) : getOutcome(id);
      return { store };
    },
  });
  client = new McpChatClient(harness.url, { 'X-Session-Id': 'apart-from-the-long-text' });
});
afterAll(async () => {
  sockets.destroy();
  await harness.stop();
});

async function begun(content: string): Promise<PlayedTurn> {
  const find = async () => {
    const turns = await harness.store.listUnendedTurnsOf('local');
    return turns.find((turn) => turn.content === content);
  };
  return PlayedTurn.take(harness, (await waitFor(find, { what: content }))._id);
}

describe('an mcp-chat client that stops reading', () => {
  it('delays no other client, uses bounded memory, and gets the whole answer when it reads again', async () => {
    const { socket, text, whole } = openRaw(harness.url, '/chat/stream', { message: 'at length' });
    const played = await begun('at length');
    const other = await harness.connect();
    await other.request('join', { conversation_id: played.turn.conversation_id });
    // An end before its first snapshot would be part of that.
    await other.event('snapshot');
    await waitFor(() => text().includes('\r\n\r\n'), { what: 'the headers' });
    const server = await sockets.of(socket);
    // As if the kernel took nothing more: its buffers may be larger than any text.
    server.cork();
    await played.answer(LONG_TEXT);
    await waitFor(() => server.writableNeedDrain, { what: 'a server that waits for its client' });
    for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve));
    expect(server.writableLength).toBeLessThan(256 * 1024);
    expect((await other.event('complete')).content === LONG_TEXT).toBe(true);
    await other.send('and next?', { conversation_id: played.turn.conversation_id });
    await (await begun('and next?')).answer('This.');
    expect(await other.event('complete', 2)).toMatchObject({ content: 'This.' });
    expect(server.writableNeedDrain).toBe(true);
    server.uncork();
    const payloads = (await whole).matchAll(/^data: (\{.+\})$/gm);
    const contents = [...payloads].map(
      ([, payload]) => (JSON.parse(payload!) as { content: string }).content,
    );
    expect(contents.join('') === LONG_TEXT).toBe(true);
    expect(text()).toContain('data: [DONE]\n\n');
  }, 60_000);
});

describe('an mcp-chat client that leaves', () => {
  it.each(['/chat', '/chat/stream'])('stops nothing: %s', async (path) => {
    const controller = new AbortController();
    const leaving = client.fetch('POST', path, { message: `leaving ${path}` }, controller.signal);
    const played = await begun(`leaving ${path}`);
    const { conversation_id, _id } = played.turn;
    const { feeds } = harness.running.gateway;
    await waitFor(() => feeds.find(conversation_id)?.hasViewers, { what: 'somebody there' });
    await played.start();
    controller.abort();
    await leaving.then((response) => response.text()).catch(() => undefined);
    await waitFor(() => feeds.find(conversation_id)?.hasViewers !== true, { what: 'nobody there' });
    played.beginStep(1);
    played.complete(await played.commit(1, 'Hello.'));
    expect(await harness.store.getStep(_id, 1)).toMatchObject({ kind: 'model' });
    const later = client.stream(`and after ${path}?`);
    await (await begun(`and after ${path}?`)).answer('Still here.');
    expect(await later).toMatchObject({ conversationId: conversation_id, text: 'Still here.' });
  });
});

describe('a turn that cannot be followed to its end', () => {
  it('sends arguments too long for a view in full, and reports when the store cannot return them', async () => {
    const call = { ...addCall('L'), arguments: { a: 'x'.repeat(10_000) } };
    const first = client.fetch('POST', '/chat/stream', { message: 'long arguments' });
    const played = await begun('long arguments');
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    played.complete(await played.commit(2, 'Done.'));
    const { starts } = await readStrictly(await first);
    expect(starts[0]!.args).toEqual(call.arguments);

    const second = await client.fetch('POST', '/chat/stream', { message: 'no store' });
    const other = await begun('no store');
    const lost = { ...addCall('M'), arguments: { a: 'x'.repeat(10_000) } };
    await other.start();
    other.beginStep(1);
    await other.commit(1, '', [lost]);
    await other.claim(lost.tool_call_id, 'worker-1');
    const lostEnd = await other.settle(lost, 1, 3);
    isStoreGone = true;
    other.emit(lostEnd);
    const raw = await second.text();
    isStoreGone = false;
    expect(raw.split('\n\n').slice(1)).toEqual(['data: [ERROR] The store cannot be reached. Try again.', '']);
  });
});
