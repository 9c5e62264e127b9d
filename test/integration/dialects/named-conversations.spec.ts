import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';

let harness: Harness;
const held: AbortController[] = [];
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(async () => {
  for (const leaving of held.splice(0)) leaving.abort();
  await harness.stop();
});

/** The answer as it begins. */
async function post(path: string, body: object, headers: object = {}): Promise<Response> {
  const leaving = new AbortController();
  held.push(leaving);
  return fetch(harness.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
}

async function remove(conversationId: string): Promise<void> {
  const response = await fetch(`${harness.url}/api/conversations/${conversationId}`, { method: 'DELETE' });
  expect(response.status).toBe(204);
}

let runs = 0;
const run = (threadId: string) =>
  post('/ag-ui', {
    threadId,
    runId: `run-${runs++}`,
    messages: [{ id: '1', role: 'user', content: 'hello' }],
  });
const chat = (conversationId: string) => post('/api/chat-artifacts', { message: 'hello', conversationId });

describe.each([
  ['ag-ui', run],
  ['chat-artifacts-ndjson', chat],
])('a conversation that a client of %s knows by its name', (_dialect, say) => {
  const placeOf = async (name: string): Promise<string> => {
    const response = await say(name);
    expect(response.status).toBe(200);
    return response.headers.get('x-conversation-id')!;
  };

  it('is a new one after its deletion, the same for concurrent requests, each time', async () => {
    const places = [await placeOf('notes')];
    for (let times = 0; times < 3; times++) {
      await remove(places.at(-1)!);
      const [place, ...others] = await Promise.all(['notes', 'notes', 'notes'].map(placeOf));
      expect(others).toEqual([place, place]);
      expect(await placeOf('notes')).toBe(place);
      places.push(place!);
    }
    expect(new Set(places).size).toBe(4);
    const listed = await harness.store.listConversations('local', { skip: 0, limit: 10 });
    expect(listed.map(({ _id }) => _id)).toEqual([places.at(-1)]);
  });

  it('remains when the deleted one is fully removed, whose id never returns meanwhile', async () => {
    const first = await placeOf('notes');
    await remove(first);
    const second = await placeOf('notes');
    await harness.store.removeConversation(first);
    expect(await placeOf('notes')).toBe(second);
    await remove(second);
    const third = await placeOf('notes');
    expect([first, second]).not.toContain(third);
    expect(await placeOf('other')).not.toBe(third);
  });
});

describe('a conversation that a client knows by its Switchyard id', () => {
  it('is not found once it was deleted', async () => {
    const place = (await run('notes')).headers.get('x-conversation-id')!;
    const ask = () =>
      post(
        '/v1/chat/completions',
        { model: 'switchyard', stream: true, messages: [{ role: 'user', content: 'hello' }] },
        { 'x-conversation-id': place },
      );
    expect((await ask()).status).toBe(200);
    await remove(place);
    const refused = await ask();
    expect([refused.status, await refused.json()]).toEqual([
      404,
      { error: expect.objectContaining({ code: 'conversation_not_found' }) },
    ]);
  });
});
