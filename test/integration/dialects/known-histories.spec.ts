import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { z } from 'zod';
import type { ModelPart } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { gate } from '../../e2e/scripted-provider.js';
import { waitFor } from '../../services/wait-for.js';
import { scriptedModel, USAGE } from '../orchestrator/fleet-harness.js';
import { answerOf, chat } from './artifact-lines.js';
import { DialectSystem } from './dialect-system.js';

type Said = OpenAI.ChatCompletionMessageParam;

/** Clients that send everything with each request; the model looks once a turn, then answers with a number. */
const counter = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.strictObject({}),
  class: 'read',
  timeoutMs: 5_000,
  run: () => Promise.resolve('counted'),
});
let answers = 0;
let held: Promise<void> | undefined;
const model = scriptedModel(({ messages, tool_choice }) => speak(messages, tool_choice));
let system: DialectSystem;
let client: OpenAI;

async function* speak(messages: { content: object[] }[], forced?: object): AsyncIterable<ModelPart> {
  await held;
  const asked = messages.at(-1)!.content.some((item) => 'tool_call_id' in item);
  const end = { type: 'end' as const, usage: USAGE };
  if (asked || forced) {
    yield { type: 'text', text: `Answer ${++answers}.` };
    yield { ...end, stop_reason: 'end_turn' };
  } else {
    yield { type: 'tool_call', name: 'desk__count', arguments: {}, raw: '{}' };
    yield { ...end, stop_reason: 'tool_use' };
  }
}

beforeEach(async () => {
  model.requests.length = 0;
  held = undefined;
  const hosts = [defineToolset({ name: 'desk', version: '1.0.0', tools: [counter] })];
  system = await DialectSystem.start({ model, hosts });
  client = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterEach(() => system.close());

/** Sends everything; what comes back is everything with the answer, and where it was. */
async function ask(
  said: Said[],
  content: string,
  more: { stream?: boolean; system?: string; key?: string } = {},
) {
  const messages: Said[] = [...said, { role: 'user', content }];
  const sent = more.system ? [{ role: 'system' as const, content: more.system }, ...messages] : messages;
  const headers = more.key ? { 'Idempotency-Key': more.key } : {};
  const body = { model: 'switchyard', messages: sent };
  let text = '';
  let response: Response;
  if (more.stream) {
    const streamed = await client.chat.completions
      .create({ ...body, stream: true }, { headers })
      .withResponse();
    for await (const chunk of streamed.data) text += chunk.choices[0]?.delta.content ?? '';
    response = streamed.response;
  } else {
    const whole = await client.chat.completions.create(body, { headers }).withResponse();
    text = whole.data.choices[0]!.message.content!;
    response = whole.response;
  }
  const conversation = response.headers.get('x-conversation-id')!;
  return { said: [...messages, { role: 'assistant' as const, content: text }], conversation, text };
}

const turnsOf = (conversation: string) => system.fleet.store.listTurns(conversation, { limit: 100 });
const lastMessages = () => model.requests.at(-1)!.messages;

describe('a client that sends the whole history with each request', () => {
  it('continues one conversation, whose calls and results the model still reads', async () => {
    let { said, conversation } = await ask([], 'one', { stream: true });
    for (const content of ['two', 'three', 'four']) {
      const before = lastMessages();
      const next = await ask(said, content, { stream: content === 'three', system: `For ${content}.` });
      expect(next.conversation).toBe(conversation);
      expect(lastMessages().slice(0, before.length)).toEqual(before);
      ({ said, conversation } = next);
    }
    expect((await turnsOf(conversation)).map(({ content, options }) => [content, options.answer])).toEqual(
      ['one', 'two', 'three', 'four'].map((content) => [content, undefined]),
    );
    expect(model.requests.at(-1)!.system).toBe('For four.');
  });

  it.each([
    ['counts one turn per request, not those of earlier requests again', false, 10],
    ['counts every turn again each time when it names its messages', true, 55],
  ])('%s', async (_, isKeyed, expected) => {
    const { store } = system.fleet;
    let inserts = 0;
    const { insertTurn, insertTurns } = store;
    store.insertTurn = (row) => (inserts++, insertTurn.call(store, row));
    store.insertTurns = (rows) => ((inserts += rows.length), insertTurns.call(store, rows));
    let said: Said[] = [];
    for (let i = 0; i < 10; i++)
      ({ said } = await ask(said, `message ${i}`, isKeyed ? { key: `key-${i}` } : {}));
    expect(inserts).toBe(expected);
  });

  it('that branches from an earlier message does not see the other branch', async () => {
    const first = await ask([], 'one');
    const second = await ask(first.said, 'two');
    const again = await ask(first.said, 'two');
    expect(second.conversation).toBe(first.conversation);
    expect(again.conversation).not.toBe(first.conversation);
    expect(JSON.stringify(lastMessages())).not.toContain(second.text);
    // Either way goes on where it was.
    expect((await ask(second.said, 'three')).conversation).toBe(second.conversation);
    expect((await ask(again.said, 'three')).conversation).toBe(again.conversation);
    expect(JSON.stringify(lastMessages())).not.toContain(second.text);
  });

  it('that continues twice at once from the same point gets two conversations', async () => {
    const first = await ask([], 'one');
    const { until, open } = gate();
    held = until;
    const asked = [ask(first.said, 'left'), ask(first.said, 'right')];
    await waitFor(() => model.requests.length >= 4, { what: 'both are being answered' });
    open();
    const [left, right] = await Promise.all(asked);
    expect(left!.conversation).not.toBe(right!.conversation);
    expect([left!.conversation, right!.conversation]).toContain(first.conversation);
    for (const { conversation, said } of [left!, right!]) {
      const contents = (await turnsOf(conversation)).map(({ content }) => content);
      expect(contents).toEqual(said.filter(({ role }) => role === 'user').map(({ content }) => content));
    }
  });

  it('is not recognised by a history that it has changed', async () => {
    const first = await ask([], 'one');
    const edited: Said[] = [first.said[0]!, { role: 'assistant', content: 'Something else.' }];
    const other = await ask(edited, 'two');
    expect(other.conversation).not.toBe(first.conversation);
    expect(JSON.stringify(lastMessages())).toContain('Something else.');
    expect((await ask(first.said, 'two')).conversation).toBe(first.conversation);
  });

  it('gets a new conversation when the known one is deleted, has continued, or ends soon', async () => {
    const { store } = system.fleet;
    const first = await ask([], 'one');
    const { expires_at } = (await store.getConversation(first.conversation))!;
    await fetch(`${system.url}/api/conversations/${first.conversation}`, { method: 'DELETE' });
    const second = await ask(first.said, 'two');
    expect(second.conversation).not.toBe(first.conversation);
    const headers = { 'X-Conversation-Id': second.conversation };
    const messages: Said[] = [{ role: 'user', content: 'aside' }];
    await client.chat.completions.create({ model: 'switchyard', messages }, { headers });
    const third = await ask(second.said, 'three');
    expect(third.conversation).not.toBe(second.conversation);
    expect(JSON.stringify(lastMessages())).not.toContain('aside');
    const { getConversation } = store;
    const soon = new Date(Date.parse(expires_at!) - 13 * 3_600_000).toISOString();
    store.getConversation = async (id) => {
      const row = await getConversation.call(store, id);
      return row && { ...row, expires_at: soon };
    };
    expect((await ask(third.said, 'four')).conversation).not.toBe(third.conversation);
  });

  it('finds the same turn for a resend', async () => {
    const first = await ask([], 'one');
    const sent = await ask(first.said, 'two', { key: 'k1' });
    const resent = await ask(first.said, 'two', { key: 'k1' });
    expect([resent.conversation, resent.text]).toEqual([sent.conversation, sent.text]);
    expect(sent.conversation).not.toBe(first.conversation);
  });
});

describe('chat-artifacts without a conversation name', () => {
  const post = async (history: object[], message: string, more: object = {}, path?: string) => {
    const asked = [...history, { role: 'user', content: message }];
    const { lines, response } = await chat(system, { message, history: asked, ...more }, path);
    const content = answerOf(lines) || lines.at(-1)!.response!.conversation;
    return {
      history: [...asked, { role: 'assistant', content }],
      conversation: response.headers.get('x-conversation-id')!,
    };
  };

  it('continues one conversation, through both endpoints', async () => {
    const first = await post([], 'one');
    const second = await post(first.history, 'two', {}, '/api/chat');
    const third = await post(second.history, 'three');
    expect([second.conversation, third.conversation]).toEqual(Array(2).fill(first.conversation));
    expect((await turnsOf(first.conversation)).map(({ content }) => content)).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  it('gets another one without tools, and after a turn with pinned artifacts', async () => {
    const first = await post([], 'one');
    const basic = await post(first.history, 'two', {}, '/api/chat-basic');
    expect(basic.conversation).not.toBe(first.conversation);
    const pinnedArtifacts = [{ id: 'p', type: 'text/markdown', title: 'Pinned', content: 'A secret.' }];
    const pinned = await post(first.history, 'two', { pinnedArtifacts });
    expect(pinned.conversation).toBe(first.conversation);
    const after = await post(pinned.history, 'three');
    expect(after.conversation).not.toBe(pinned.conversation);
    expect(JSON.stringify(lastMessages())).not.toContain('A secret.');
  });
});
