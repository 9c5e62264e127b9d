import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { Client } from '../gateway/gateway-harness.js';
import { DialectSystem } from './dialect-system.js';
import { playedModel } from './played-model.js';

/* `models.allow` over every way into the system. */

const model = playedModel();
const SAY = JSON.stringify({ say: 'Hi.' });
const WORDS =
  /model 'openai\/o9-very-expensive' is not allowed here\. Use one of these: openai\/small, openai\/mini-\*\./;
let system: DialectSystem;
beforeAll(async () => {
  system = await DialectSystem.start({
    model,
    settings: {
      model: 'openai/small',
      providers: [{ provider: 'openai', model: 'openai/small' }],
      allowedModels: ['openai/small', 'openai/mini-*'],
    },
  });
  const { offeredModels } = system.gateway.gateway;
  await waitFor(() => offeredModels.allowed !== undefined, { what: 'the orchestrator’s models' });
});
afterAll(() => system.close());

const EXPENSIVE = 'openai/o9-very-expensive';
const conversations = async () =>
  (await (await fetch(`${system.url}/api/conversations`)).json()) as { id: string }[];

describe('a model that is not allowed', () => {
  it('is refused over a socket before a turn exists', async () => {
    const client = new Client(system.url);
    await client.connected();
    const before = await conversations();
    const refused = await client.request('message', { content: SAY, options: { model: EXPENSIVE } });
    expect(refused.error).toMatchObject({ code: 'invalid', message: expect.stringMatching(WORDS) });
    expect(await conversations()).toEqual(before);
    client.socket.close();
  });

  it('is refused over HTTP: in a message, in a new conversation, and in a changed one', async () => {
    const made = await system.post('/api/conversations', { model: 'openai/mini-2' });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const tries = [
      system.post(`/api/conversations/${id}/turns`, { content: SAY, options: { model: EXPENSIVE } }),
      system.post('/api/conversations', { model: EXPENSIVE }),
      fetch(`${system.url}/api/conversations/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: EXPENSIVE }),
      }),
    ];
    for (const answer of await Promise.all(tries)) {
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ code: 'invalid', detail: expect.stringMatching(WORDS) });
    }
    expect(await system.fleet.store.lastTurnNumber(id)).toBe(0);
    expect((await system.fleet.store.getConversation(id))?.model).toBe('openai/mini-2');
  });

  it('is refused by /v1 in the API’s form, and only allowed models are listed', async () => {
    const messages = [{ role: 'user', content: SAY }];
    const refused = await system.post('/v1/chat/completions', { model: EXPENSIVE, messages });
    expect(refused.status).toBe(404);
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringMatching(WORDS),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    });
    const read = async (path: string) => (await fetch(system.url + path)).json();
    expect(await read('/v1/models')).toMatchObject({ data: [{ id: 'switchyard' }, { id: 'openai/small' }] });
    expect(await read(`/v1/models/${encodeURIComponent(EXPENSIVE)}`)).toMatchObject({
      error: { code: 'model_not_found' },
    });
    const allowed = await system.post('/v1/chat/completions', { model: 'openai/mini-2', messages });
    expect(allowed.status).toBe(200);
  });

  it('fails the turn of an old row, or of a gateway with other settings, without a provider request', async () => {
    const turn = await system.fleet.submit(SAY, { options: { model: EXPENSIVE } });
    expect(await system.fleet.event(turn, 'error')).toMatchObject({
      code: 'model_error',
      message: expect.stringMatching(WORDS),
    });
    const inOldConversation = await system.fleet.submit(SAY, { model: EXPENSIVE });
    expect(await system.fleet.event(inOldConversation, 'error')).toMatchObject({
      message: expect.stringMatching(WORDS),
    });
  });

  it('never reaches a provider', () => {
    expect(new Set(model.requests.map((request) => request.model))).not.toContain(EXPENSIVE);
    expect(model.requests).not.toEqual([]);
  });
});
