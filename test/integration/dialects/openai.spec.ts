import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { ConversationEvent, Turn } from '#contracts';
import { createMetrics } from '#observability';
import { inTime, waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';

const ASKED = { model: 'switchyard', messages: [{ role: 'user' as const, content: 'what is 1 + 2?' }] };
const metrics = createMetrics({ collectDefaults: false });
let harness: Harness;
let client: OpenAI;
let seen: Set<string>;

beforeEach(async () => {
  harness = await startHarness({ alter: () => ({ metrics }) });
  seen = new Set();
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'any' });
});
afterEach(() => harness.stop());

/** The turns that requests have started since it was asked last. */
async function nextTurn(count = 1): Promise<PlayedTurn[]> {
  const find = async (): Promise<Turn[] | undefined> => {
    const turns = await harness.store.listUnendedTurnsOf('local');
    const fresh = turns.filter(({ _id }) => !seen.has(_id));
    return fresh.length >= count ? fresh : undefined;
  };
  const turns = await waitFor(find, { what: `${count} turns` });
  for (const { _id } of turns) seen.add(_id);
  return turns.map((turn) => new PlayedTurn(harness, turn));
}

async function playCall(played: PlayedTurn, said = 'Let me look.'): Promise<ConversationEvent[]> {
  const call = addCall('A');
  await played.start();
  played.beginStep(1);
  played.token(1, said);
  await played.commit(1, said, [call]);
  await played.claim(call.tool_call_id, 'worker-1');
  const end = await played.settle(call, 1, 3);
  played.emit(end);
  return [end];
}

async function playAnswer(played: PlayedTurn): Promise<void> {
  const settled = (await playCall(played)) as never;
  played.beginStep(2, settled);
  played.token(2, 'It is ');
  played.token(2, '3.');
  played.complete(await played.commit(2, 'It is 3.'));
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(harness.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

describe('a streamed completion', () => {
  it('contains the text of every step and nothing about tools', async () => {
    const { data, response } = await client.chat.completions
      .create({ ...ASKED, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await playAnswer((await nextTurn())[0]!);
    const chunks = [];
    for await (const chunk of data) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'Let me look.\n\nIt is 3.',
    );
    expect(JSON.stringify(chunks)).not.toMatch(/tool|math|call_/);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      model: 'switchyard',
    });
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 4 } });
  });

  it('is live: the text of a step arrives before the step ends', async () => {
    const data = await client.chat.completions.create({ ...ASKED, stream: true });
    const [played] = await nextTurn();
    await played!.start();
    played!.beginStep(1);
    played!.token(1, 'It is');
    const reader = data[Symbol.asyncIterator]();
    const texts: unknown[] = [];
    while (texts.join('') !== 'It is') {
      const { value } = await inTime(reader.next(), { what: 'the words said so far' });
      texts.push((value as OpenAI.ChatCompletionChunk).choices[0]!.delta.content);
    }
    played!.complete(await played!.commit(1, 'It is 3.'));
    while (!(await reader.next()).done);
  });

  it('that waits for a person names in a comment where to answer, and continues with the answer', async () => {
    const response = await post('/v1/chat/completions', { ...ASKED, stream: true });
    const turnId = response.headers.get('x-turn-id');
    const [played] = await nextTurn();
    const call = addCall('A', 'required');
    await played!.start();
    played!.beginStep(1);
    await played!.commit(1, '', [call]);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let told = '';
    const where = `/api/turns/${turnId}/calls/${call.tool_call_id}/approval`;
    while (!told.includes(`: waits for approval: POST ${where}\n\n`))
      told += (await inTime(reader.read(), { what: 'the comment' })).value ?? '';
    expect((await post(where, { decision: 'approve' })).status).toBe(200);
    const answer = async () => harness.store.getAnswer(`${call.tool_call_id}:approval`);
    expect(await waitFor(answer, { what: 'the answer' })).toMatchObject({ decision: 'approve' });
    await played!.claim(call.tool_call_id, 'worker-1');
    const end = await played!.settle(call, 1, 3);
    played!.emit(end);
    played!.beginStep(2, [end] as never);
    played!.token(2, 'It is 3.');
    played!.complete(await played!.commit(2, 'It is 3.'));
    for (let read = await reader.read(); !read.done; read = await reader.read()) told += read.value;
    const events = told.split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(events.join('')).toContain('It is 3.');
    expect(events.join('')).not.toContain('waits');
  });

  it('that breaks off reports why, and has no finish reason', async () => {
    const data = await client.chat.completions.create({ ...ASKED, stream: true });
    const [played] = await nextTurn();
    await playCall(played!);
    const error = { code: 'model_error' as const, message: 'The provider is down.' };
    await harness.store.commitStep({ ...played!.stepRow(2, ''), kind: 'fail', error });
    played!.emit({ type: 'error', ...played!.fields, ...error });
    const read = async () => {
      for await (const chunk of data) expect(chunk.choices[0]!.finish_reason).toBeNull();
    };
    await expect(read()).rejects.toMatchObject({ code: 'model_error', type: 'server_error' });
  });

  it('ends with an error when the server stops', async () => {
    const response = await post('/v1/chat/completions', { ...ASKED, stream: true });
    await nextTurn();
    const stopping = harness.running.gateway.drain(0);
    const body = await inTime(response.text(), { what: 'the end of the stream' });
    await stopping;
    expect(body).toContain('"code":"server_restarting"');
    expect(body).not.toContain('[DONE]');
  });

  it('continues without its client, and leaves no viewer behind', async () => {
    const data = await client.chat.completions.create({ ...ASKED, stream: true });
    const [played] = await nextTurn();
    await played!.start();
    data.controller.abort();
    const { feeds } = harness.running.gateway;
    const { conversation_id } = played!.turn;
    await waitFor(() => feeds.find(conversation_id)?.hasViewers !== true, { what: 'nobody there' });
    expect((await harness.store.readJournal(played!.turn._id))!.steps).toEqual([]);
    played!.beginStep(1);
    played!.complete(await played!.commit(1, 'Hello.'));
  });

  it('of a client that stops reading uses bounded memory, and is complete when it reads again', async () => {
    const data = await client.chat.completions.create({ ...ASKED, stream: true });
    const [played] = await nextTurn();
    await played!.start();
    played!.beginStep(1);
    const piece = 'x'.repeat(64 * 1024);
    const dropped = async () => (await metrics.eventsDropped.get()).values[0]?.value ?? 0;
    const before = await dropped();
    let text = '';
    await waitFor(
      async () => {
        for (let i = 0; i < 20; i++) played!.token(1, piece);
        text += piece.repeat(20);
        return (await dropped()) > before;
      },
      { what: 'more than the stream holds', timeoutMs: 20_000 },
    );
    played!.complete(await played!.commit(1, `${text}.`));
    let length = 0;
    for await (const chunk of data) length += (chunk.choices[0]?.delta.content ?? '').length;
    expect(length).toBe(text.length + 1);
  });
});

describe('an unstreamed completion', () => {
  it('contains the same text', async () => {
    const asked = client.chat.completions.create(ASKED);
    await playAnswer((await nextTurn())[0]!);
    const completion = await asked;
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      choices: [
        { finish_reason: 'stop', message: { role: 'assistant', content: 'Let me look.\n\nIt is 3.' } },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    });
  });

  it('reports that the output limit was reached', async () => {
    const asked = client.chat.completions.create({ ...ASKED, max_tokens: 5 });
    const [played] = await nextTurn();
    expect(played!.turn.options).toEqual({ max_output_tokens: 5 });
    await played!.start();
    const row = { ...played!.stepRow(1, 'It is'), stop_reason: 'max_tokens' as const };
    await harness.store.commitStep(row);
    played!.complete(row);
    expect((await asked).choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'It is' },
    });
  });

  it('that fails is not retried by the client', async () => {
    const asked = client.chat.completions.create(ASKED);
    asked.catch(() => undefined);
    const [played] = await nextTurn();
    await playCall(played!);
    const error = { code: 'model_error' as const, message: 'The provider is down.' };
    await harness.store.commitStep({ ...played!.stepRow(2, ''), kind: 'fail', error });
    played!.emit({ type: 'error', ...played!.fields, ...error });
    const refused = inTime(asked, { what: 'the client is told of the failure' });
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'model_error', type: 'server_error' });
    expect(await harness.store.listTurns(played!.turn.conversation_id, { limit: 9 })).toHaveLength(1);
    expect(
      (await harness.store.listUnendedTurnsOf('local')).filter(({ _id }) => _id !== played!.turn._id),
    ).toEqual([]);
  });

  it('continues without its client, and leaves no viewer behind', async () => {
    const controller = new AbortController();
    const asked = client.chat.completions.create(ASKED, { signal: controller.signal });
    asked.catch(() => undefined);
    const [played] = await nextTurn();
    controller.abort();
    const { feeds } = harness.running.gateway;
    const { conversation_id } = played!.turn;
    await waitFor(() => feeds.find(conversation_id)?.hasViewers !== true, { what: 'nobody there' });
  });
});

describe('the conversation of a completion', () => {
  it('is in no list and expires, unless it is named', async () => {
    const { response } = await client.chat.completions.create({ ...ASKED, stream: true }).withResponse();
    const id = response.headers.get('x-conversation-id')!;
    const row = (await harness.store.getConversation(id))!;
    const keptMs = Date.parse(row.expires_at!) - Date.parse(row.created_at);
    expect(Math.round(keptMs / 60_000)).toBe(24 * 60);
    expect(await (await fetch(`${harness.url}/api/conversations`)).json()).toEqual([]);
    await (await nextTurn())[0]!.answer('3.');

    const kept = (await (await post('/api/conversations', {})).json()) as { id: string };
    const messages = [...ASKED.messages, { role: 'assistant' as const, content: 'x' }, ...ASKED.messages];
    const headers = { 'X-Conversation-Id': kept.id };
    const asked = client.chat.completions.create({ ...ASKED, messages }, { headers });
    const [played] = await nextTurn();
    expect(played!.turn).toMatchObject({ conversation_id: kept.id, number: 1, content: 'what is 1 + 2?' });
    await played!.answer('3.');
    expect((await asked).choices[0]!.message.content).toBe('3.');
  });

  it('begins with the given history', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'what is 1 + 2?' },
    ];
    const asked = client.chat.completions.create({ ...ASKED, messages });
    const [played] = await nextTurn();
    expect(played!.turn).toMatchObject({ number: 2, options: { system: 'Be brief.' } });
    const { conversation_id } = played!.turn;
    const viewer = await harness.connect();
    await viewer.request('join', { conversation_id });
    const { view } = await viewer.event('snapshot');
    expect(view.turns.map(({ content, status, steps }) => [content, status, steps[0]?.text])).toEqual([
      ['Hello', 'completed', 'Hello!'],
      ['what is 1 + 2?', 'queued', undefined],
    ]);
    await played!.answer('3.');
    await asked;
  });

  it('is not found when it is another user’s, unknown or malformed', async () => {
    for (const id of ['conv_none', 'no id', 'x'.repeat(200)]) {
      const error = await client.chat.completions
        .create(ASKED, { headers: { 'X-Conversation-Id': id } })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error).toMatchObject({ code: 'conversation_not_found', param: 'X-Conversation-Id' });
    }
  });

  it('differs for two simultaneous requests, and is the same for a resend with its key', async () => {
    const options = { headers: { 'Idempotency-Key': 'key-1' } };
    const asked = [
      client.chat.completions.create(ASKED, options),
      client.chat.completions.create(ASKED, options),
      client.chat.completions.create(ASKED),
    ];
    const turns = await nextTurn(2);
    for (const played of turns) await played.answer(played.turn.conversation_id);
    const contents = (await Promise.all(asked)).map(({ choices }) => choices[0]!.message.content);
    expect(contents[0]).toBe(contents[1]);
    expect(contents[2]).not.toBe(contents[0]);
  });
});

describe('OpenAI models', () => {
  it('are listed and found', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model);
    const fleet = { id: 'switchyard', object: 'model', owned_by: 'switchyard', created: expect.any(Number) };
    expect(models).toEqual([fleet]);
    expect(await client.models.retrieve('switchyard')).toEqual(fleet);
    expect(await client.models.retrieve('anthropic/some-model')).toMatchObject({ owned_by: 'anthropic' });
    await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('OpenAI refusals', () => {
  const PATH = '/v1/chat/completions';
  const error = (code: string | null, param: string | null = null, type = 'invalid_request_error') => ({
    error: { message: expect.stringMatching(/^.+[.a-z>]$/i), type, param, code },
  });

  it('tell the client what to do', async () => {
    const words = async (body: object) =>
      ((await (await post(PATH, body)).json()) as { error: { message: string } }).error.message;
    expect(await words({ model: 'switchyard' })).toBe('messages: is required');
    expect(await words({ ...ASKED, temperature: 3 })).toBe('temperature: must be at most 2');
    expect(await words({ ...ASKED, model: 'gpt-9' })).toContain(
      "or <provider>/<model>, for example 'openai/",
    );
  });

  it('have the API’s form before anything was streamed', async () => {
    const answers: [Promise<Response>, number, object][] = [
      [post(PATH, '{'), 400, error(null)],
      [post(PATH, {}), 400, error(null, 'model')],
      [post(PATH, { model: 'switchyard' }), 400, error(null, 'messages')],
      [post(PATH, { ...ASKED, model: 'gpt-9' }), 404, error('model_not_found', 'model')],
      [post(PATH, { ...ASKED, tools: [{}] }), 400, error('unsupported_tools', 'tools')],
      [post(PATH, { ...ASKED, n: 2 }), 400, error('unsupported_value', 'n')],
      [post(PATH, 'model=x', { 'Content-Type': 'application/x-www-form-urlencoded' }), 415, error(null)],
      [post(PATH, { ...ASKED, pad: 'x'.repeat(4_200_000) }), 413, error('request_too_large')],
      [post(PATH, ASKED, { 'Idempotency-Key': 'x'.repeat(200) }), 400, error(null, 'Idempotency-Key')],
      [post(PATH, ASKED, { Origin: 'https://evil.example' }), 403, error('forbidden')],
      [post(PATH, '', {}, 'GET'), 405, error('method_not_supported')],
      [post(PATH, '{}', {}, 'PUT'), 405, error('method_not_supported')],
      [post('/v1/models', '{}'), 405, error('method_not_supported')],
      [post('/v1/embeddings', '{}'), 404, error('unknown_url')],
      [post('/v1/anything/else', '', {}, 'GET'), 404, error('unknown_url')],
    ];
    for (const [answer, status, body] of answers) {
      const response = await answer;
      expect([status, response.headers.get('content-type')]).toEqual([
        response.status,
        'application/json; charset=utf-8',
      ]);
      expect(await response.json()).toEqual(body);
    }
    expect((await post(PATH, '', {}, 'GET')).headers.get('allow')).toBe('POST');
    expect(await harness.store.countUnendedTurns('local')).toBe(0);
  });

  it('exclude a body of more than 1 MiB, which is accepted', async () => {
    const long = { role: 'assistant' as const, content: 'x'.repeat(2_000_000) };
    const messages = [{ role: 'user' as const, content: 'Hi' }, long, ...ASKED.messages];
    const asked = client.chat.completions.create({ ...ASKED, messages });
    await (await nextTurn())[0]!.answer('3.');
    expect((await asked).choices[0]!.message.content).toBe('3.');
  });
});

describe('OpenAI users', () => {
  it('have separate conversations, and tokens as keys', async () => {
    await harness.stop();
    harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } as never } });
    const as = async (user: string) =>
      new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: await signTestToken(user) });
    const [ann, bob] = [await as('ann'), await as('bob')];
    const { response } = await ann.chat.completions.create({ ...ASKED, stream: true }).withResponse();
    const headers = { 'X-Conversation-Id': response.headers.get('x-conversation-id')! };
    const foreign = bob.chat.completions.create(ASKED, { headers });
    await expect(foreign).rejects.toMatchObject({ status: 404, code: 'conversation_not_found' });
    const { response: own } = await ann.chat.completions
      .create({ ...ASKED, stream: true }, { headers })
      .withResponse();
    expect(own.headers.get('x-conversation-id')).toBe(headers['X-Conversation-Id']);
    const nobody = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'sk-made-up' });
    await expect(nobody.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});
