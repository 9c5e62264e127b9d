import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gate } from '../../e2e/scripted-provider.js';
import { waitFor } from '../../services/wait-for.js';
import { answerOf, chat, linesOf } from './artifact-lines.js';
import { CharmClient } from './charm-client.js';
import { DialectSystem } from './dialect-system.js';
import { givingToolsets, LONG } from './giving-toolsets.js';
import { playedModel, requestsOf, type Play } from './played-model.js';

/* `chat-artifacts-ndjson` §8.17 and what clients do on the way: leave, read slowly, ask again. */

const model = playedModel();
const gates = new Map<string, Promise<void>>();
let system: DialectSystem;
beforeAll(async () => {
  system = await DialectSystem.start({ model, hosts: givingToolsets(gates) });
});
afterAll(() => system.close());

const give = (json: object, at?: string): [string, object] => [
  'x__give',
  { json: JSON.stringify(json), ...(at ? { gate: at } : {}) },
];

it('17 a client that does what the front end does: question, statuses, answer, artifact opened by its button', async () => {
  const client = new CharmClient(system.url);
  expect(await client.get('/api/server-names')).toEqual({ serverNames: ['x', 'y'] });
  expect(await client.get('/api/storage/files')).toEqual([]);
  const page = { type: 'text/html', title: 'Page', content: '<p>' };
  const what: Play = {
    steps: [[give({ artifacts: [{ type: 'text/markdown', title: 'Notes', content: '# N' }] })]],
    format: [
      { type: 'text', content: 'Look:' },
      { type: 'artifact', artifact: page },
    ],
  };
  await client.send(JSON.stringify(what), {
    modelProvider: 'anthropic',
    blockedServers: [],
    enabledTools: {},
  });
  expect(client.isLocked).toBe(false);
  expect(client.statuses).toEqual([
    'Processing request...',
    'Using model provider: anthropic',
    'Executing tool: give...',
    'Tool give: Executed successfully',
    'Getting formatted response from anthropic...',
    'Response complete',
  ]);
  expect(client.answer).toMatch(
    /^Look:\n\n<button [^>]*>📎 Page<\/button>\n\n<button [^>]*>📎 Notes<\/button>$/,
  );
  client.click(0);
  expect(client.open).toMatchObject({ type: 'html', title: 'Page', content: '<p>' });
  client.click(1);
  expect(client.open).toMatchObject({ type: 'text/markdown', title: 'Notes', content: '# N' });
  // The next message carries all of it back, and the model reads what is behind the buttons.
  const next: Play = { say: 'Again.' };
  await client.send(JSON.stringify(next));
  expect(client.answer).toBe('Again.');
  const [first] = requestsOf(model.requests, next);
  expect(first!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  expect(JSON.stringify(first!.messages[2])).toContain('# N');
  expect(JSON.stringify(first!.messages[3])).toMatch(/Look:.*<p>/);
});

it('17 a failure is readable as the answer', async () => {
  const client = new CharmClient(system.url);
  await client.send(JSON.stringify({ fail: 'No credit.' }));
  expect(client.answer).toContain('No credit.');
  expect(client.errors).toHaveLength(1);
});

describe('a chat-artifacts client that leaves', () => {
  it('does not stop the turn', async () => {
    const held = gate();
    gates.set('leaving', held.until);
    const controller = new AbortController();
    const response = await fetch(`${system.url}/api/chat-artifacts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        message: JSON.stringify({ steps: [[give({}, 'leaving')]], say: 'Told to nobody.' }),
      }),
      signal: controller.signal,
    });
    const conversation = response.headers.get('x-conversation-id')!;
    const { feeds } = system.gateway.gateway;
    controller.abort();
    await waitFor(() => feeds.find(conversation)?.hasViewers !== true, { what: 'nobody there' });
    held.open();
    const { store } = system.fleet;
    const steps = await waitFor(
      async () => {
        const rows = await store.listSteps(conversation, { after: 0, before: 2 });
        return rows.at(-1)?.final ? rows : undefined;
      },
      { what: 'the answer' },
    );
    expect(steps.at(-1)!.blocks).toEqual([{ type: 'text', text: 'Told to nobody.' }]);
  });

  it('and asks again in the same conversation gets its turn queued', async () => {
    const held = gate();
    gates.set('line', held.until);
    const conversationId = 'line';
    const message = (what: Play) => ({ message: JSON.stringify(what), conversationId });
    const one = await system.post(
      '/api/chat-artifacts',
      message({ steps: [[give({}, 'line')]], say: 'First.' }),
    );
    const two = await system.post('/api/chat-artifacts', message({ say: 'Second.' }));
    expect(two.headers.get('x-conversation-id')).toBe(one.headers.get('x-conversation-id'));
    held.open();
    const [first, second] = await Promise.all([one.text(), two.text()]);
    expect([answerOf(linesOf(first)), answerOf(linesOf(second))]).toEqual(['First.', 'Second.']);
  });
});

describe('a chat-artifacts client that reads slowly', () => {
  it('slows down its own stream, and loses nothing', async () => {
    const step = (n: number) =>
      Array.from({ length: 12 }, (_, i) =>
        give({ artifacts: [{ type: 'text/plain', title: 'A', content: `${n}-${i}${LONG}` }] }),
      );
    const many: Play = { steps: [1, 2, 3, 4, 5].map(step) };
    const { hostname, port } = new URL(system.url);
    const body = JSON.stringify({ message: JSON.stringify(many) });
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request(
        {
          hostname,
          port,
          path: '/api/chat-artifacts',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        },
        (response) => {
          // Nothing is read until the answer has long been there.
          const turnId = String(response.headers['x-turn-id']);
          const { store } = system.fleet;
          const isOver = async () => (await store.getTurn(turnId))?.status === 'completed';
          waitFor(isOver, { what: 'the end', timeoutMs: 30_000 }).then(() => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => resolve(Buffer.concat(chunks).toString()));
          }, reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
    const lines = linesOf(text);
    expect(lines.filter(({ type }) => type === 'artifact')).toHaveLength(60);
    expect(lines.at(-1)).toMatchObject({ message: 'Response complete', final: true });
  });
});

it('a conversation continues in the native protocol, and back in chat-artifacts', async () => {
  const conversationId = 'around';
  const { response } = await chat(system, {
    message: JSON.stringify({ say: 'Here first.' }),
    conversationId,
  });
  const conversation = response.headers.get('x-conversation-id')!;
  const native = await system.post(`/api/conversations/${conversation}/turns`, {
    content: JSON.stringify({ say: 'Native answer.' }),
  });
  expect(native.status).toBeLessThan(300);
  const what: Play = { say: 'Back again.' };
  await chat(system, { message: JSON.stringify(what), conversationId });
  const said = JSON.stringify(requestsOf(model.requests, what)[0]!.messages);
  expect(said).toMatch(/Here first\..*Native answer\./);
  const messages = await fetch(`${system.url}/api/conversations/${conversation}/messages`);
  const texts = ((await messages.json()) as { role: string; content: string }[]).flatMap(
    ({ role, content }) => (role === 'assistant' ? [content] : []),
  );
  expect(texts).toEqual(['Here first.', 'Native answer.', 'Back again.']);
});
