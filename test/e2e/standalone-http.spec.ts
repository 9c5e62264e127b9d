import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallView, TurnView } from '#contracts';
import { useTools, say } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { callsOf, Chat } from './models-chat.js';
import { gate } from './scripted-provider.js';
import { removeFolders, requestJson } from './standalone-process.js';

interface ConversationBody {
  id: string;
  user_id: string;
  title: string;
  policy: string;
  created_at: string;
  updated_at: string;
}
interface ToolBody {
  name: string;
  parameters: unknown[];
  [field: string]: unknown;
}

describe('HTTP', () => {
  let chat: Chat;
  let api: string;

  beforeAll(async () => {
    chat = await Chat.start();
    api = `${chat.process.url}/api`;
  }, 60_000);
  afterAll(async () => {
    await chat.close();
    await removeFolders();
  });

  async function create(json: object = {}): Promise<ConversationBody> {
    const created = await requestJson<ConversationBody>(`${api}/conversations`, { method: 'POST', json });
    expect(created.status).toBe(201);
    return created.body;
  }

  async function post(id: string, json: object) {
    return requestJson<{ conversation_id: string; turn_id: string }>(`${api}/conversations/${id}/turns`, {
      method: 'POST',
      json,
    });
  }

  async function ended(conversationId: string, turnId: string): Promise<TurnView> {
    const read = async () => {
      const { body } = await requestJson<{ turns: TurnView[] }>(
        `${api}/conversations/${conversationId}/turns`,
      );
      return body.turns.find((turn) => turn.turn_id === turnId && turn.ended_at !== undefined);
    };
    return waitFor(read, { what: 'the end of the turn' });
  }

  test('lists the tools with class, schema and parameters', async () => {
    const { status, headers, body } = await requestJson<{ tools: ToolBody[] }>(`${api}/tools`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body.tools.map(({ qualified_name, class: toolClass }) => [qualified_name, toolClass])).toEqual([
      ['artifacts.read', 'read'],
      ['artifacts.search', 'read'],
      ['http.fetch', 'read'],
      ['knowledge.rag_search', 'read'],
      ['math.add', 'read'],
      ['math.multiply', 'read'],
      ['memory.forget', 'idempotent'],
      ['memory.recall', 'read'],
      ['memory.remember', 'idempotent'],
      ['time.now', 'read'],
      ['web.web_search', 'read'],
    ]);
    expect(body.tools[4]).toMatchObject({
      name: 'add',
      source: 'local',
      toolset: 'math',
      parameters: [
        { name: 'a', type: 'integer', required: true },
        { name: 'b', type: 'integer', required: true },
      ],
      input_schema: { type: 'object', additionalProperties: false },
    });
  });

  test('a conversation is created, read, renamed, listed newest first, and deleted', async () => {
    const first = await create();
    expect(first).toMatchObject({ user_id: 'local', title: 'New Conversation', policy: 'enqueue' });
    const second = await create({ title: '  Trains ', policy: 'reject' });
    expect(second).toMatchObject({ title: 'Trains', policy: 'reject' });
    const renamed = await requestJson<ConversationBody>(`${api}/conversations/${first.id}`, {
      method: 'PATCH',
      json: { title: 'Ships' },
    });
    expect(renamed).toMatchObject({ status: 200, body: { id: first.id, title: 'Ships', policy: 'enqueue' } });
    const unchanged = await requestJson(`${api}/conversations/${first.id}`, {
      method: 'PATCH',
      json: { title: null },
    });
    expect(unchanged).toMatchObject({ status: 200, body: { title: 'Ships' } });
    const listed = await requestJson<ConversationBody[]>(`${api}/conversations?limit=2`);
    expect(listed.body.map(({ id }) => id)).toEqual([first.id, second.id]);
    const gone = await requestJson(`${api}/conversations/${first.id}`, { method: 'DELETE' });
    expect([gone.status, gone.body]).toEqual([204, null]);
    expect(await requestJson(`${api}/conversations/${first.id}`)).toMatchObject({
      status: 404,
      body: { status: 404, code: 'not_found', detail: expect.any(String) },
    });
    const left = await requestJson<ConversationBody[]>(`${api}/conversations`);
    expect(left.body.map(({ id }) => id)).not.toContain(first.id);
  });

  test('a turn is posted, resent as the same turn, and read back', async () => {
    const { id } = await create();
    chat.provider.answer(useTools(['toolu_1', 'math__add', { a: 1, b: 2 }]), say('It is 3.'));
    const message = { content: 'one and two?', client_message_id: 'm-1' };
    const posted = await post(id, message);
    expect(posted).toMatchObject({ status: 202, body: { conversation_id: id } });
    expect((await post(id, message)).body).toEqual(posted.body);
    const turn = await ended(id, posted.body.turn_id);
    expect(turn).toMatchObject({ number: 1, status: 'completed', client_message_id: 'm-1', by: 'local' });
    expect((await post(id, message)).body).toEqual(posted.body);
    const messages = await requestJson<{ role: string; content: string }[]>(
      `${api}/conversations/${id}/messages`,
    );
    expect(messages.body.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'one and two?'],
      ['assistant', 'It is 3.'],
    ]);
    const withTools = await requestJson<object[]>(`${api}/conversations/${id}/messages?include=tools`);
    expect(withTools.body[1]).toMatchObject({
      role: 'tool',
      content: '3',
      metadata: { tool_name: 'add', qualified_name: 'math.add', source: 'local', status: 'success' },
    });
    expect(chat.provider.unused).toBe(0);
  });

  test('turns come in pages, oldest first within a page', async () => {
    const { id } = await create();
    for (const number of [1, 2, 3, 4, 5]) {
      chat.provider.answer(say(`answer ${number}`));
      await ended(id, (await post(id, { content: `question ${number}` })).body.turn_id);
    }
    const page = async (query: string) => {
      const url = `${api}/conversations/${id}/turns?${query}`;
      const { body } = await requestJson<{ turns: TurnView[]; earlier: boolean }>(url);
      return [body.turns.map((turn) => turn.number), body.earlier];
    };
    expect(await page('limit=2')).toEqual([[4, 5], true]);
    expect(await page('before=4&limit=2')).toEqual([[2, 3], true]);
    expect(await page('before=2&limit=2')).toEqual([[1], false]);
    const messages = await requestJson<{ content: string }[]>(
      `${api}/conversations/${id}/messages?skip=8&limit=3`,
    );
    expect(messages.body.map(({ content }) => content)).toEqual(['question 5', 'answer 5']);
  });

  test('a call is returned uncut, regardless of the view', async () => {
    const { id } = await create();
    const query = `orchestrator ${'worker '.repeat(1_000)}`.trim();
    chat.provider.answer(useTools(['toolu_1', 'knowledge__rag_search', { query }]), say('Found.'));
    const turn = await ended(id, (await post(id, { content: 'search' })).body.turn_id);
    const [call] = callsOf(turn);
    expect(call).toMatchObject({ truncated: true, state: 'succeeded' });
    expect(JSON.stringify(call!.args).length).toBeLessThan(5_000);
    const whole = await requestJson<CallView>(`${api}/turns/${turn.turn_id}/calls/${call!.tool_call_id}`);
    expect(whole).toMatchObject({ status: 200, body: { tool_call_id: call!.tool_call_id, args: { query } } });
    expect(whole.body.truncated).toBeUndefined();
  });

  test('deleting a conversation stops its turn; later requests are refused', async () => {
    const { id } = await create();
    const { until } = gate();
    chat.provider.answer({ ...say('never'), hold: until });
    const before = chat.provider.requests.length;
    const { body } = await post(id, { content: 'talk' });
    await waitFor(() => chat.provider.requests.length > before, { what: 'the request' });
    expect((await requestJson(`${api}/conversations/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await chat.provider.requests.at(-1)!.closedEarly).toBe(true);
    expect((await post(id, { content: 'hello?' })).status).toBe(404);
    expect((await requestJson(`${api}/turns/${body.turn_id}/stop`, { method: 'POST' })).status).toBe(404);
  });

  test('a conversation with policy "reject" is busy, with "interrupt" the newer message wins', async () => {
    const { until } = gate();
    const rejecting = await create({ policy: 'reject' });
    const asked = chat.provider.requests.length;
    chat.provider.answer({ ...say('never'), hold: until });
    const running = await post(rejecting.id, { content: 'talk' });
    // Stopped before it, the turn would leave its reply to the next one.
    await waitFor(() => chat.provider.requests.length > asked, { what: 'the request' });
    expect(await post(rejecting.id, { content: 'more' })).toMatchObject({
      status: 409,
      body: { code: 'busy' },
    });
    await requestJson(`${api}/turns/${running.body.turn_id}/stop`, { method: 'POST' });

    const interrupting = await create({ policy: 'interrupt' });
    const requests = chat.provider.requests.length;
    chat.provider.answer({ ...say('never'), hold: until }, say('Now.'));
    const first = await post(interrupting.id, { content: 'talk' });
    await waitFor(() => chat.provider.requests.length > requests, { what: 'the request' });
    const second = await post(interrupting.id, { content: 'more' });
    expect((await ended(interrupting.id, second.body.turn_id)).status).toBe('completed');
    expect((await ended(interrupting.id, first.body.turn_id)).status).toBe('cancelled');
    expect(chat.provider.violations).toEqual([]);
  });
});
