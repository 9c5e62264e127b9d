import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { say, useTools } from '../fakes/messages-reply.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { ScriptedProvider } from './scripted-provider.js';
import { removeFolders, startStandalone } from './standalone-process.js';

const QUESTION = [{ role: 'user' as const, content: 'what is 17 + 25?' }];

describe('the openai client with a whole system', () => {
  let process: SwitchyardProcess;
  let client: OpenAI;
  beforeAll(async () => {
    process = await startStandalone();
    client = new OpenAI({ baseURL: `${process.url}/v1`, apiKey: 'any' });
  });
  afterAll(async () => {
    await process.kill('SIGTERM');
    await removeFolders();
  });

  it('uses the fleet’s tools without knowing them, streamed or not, with the same answer', async () => {
    const whole = await client.chat.completions.create({ model: 'switchyard', messages: QUESTION });
    const answer = whole.choices[0]!.message.content!;
    expect(answer).toContain('42');
    expect(whole.usage!.total_tokens).toBeGreaterThan(0);
    const streamed = client.chat.completions.stream({ model: 'switchyard', messages: QUESTION });
    expect(await streamed.finalContent()).toBe(answer);
    expect((await streamed.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant' },
    });
    expect(answer).not.toMatch(/call_|math\./);
  });

  it('continues a conversation that every viewer can see', async () => {
    const created = await fetch(`${process.url}/api/conversations`, { method: 'POST' });
    const { id } = (await created.json()) as { id: string };
    const headers = { 'X-Conversation-Id': id };
    for (let i = 0; i < 2; i++)
      await client.chat.completions.create({ model: 'switchyard', messages: QUESTION }, { headers });
    const turns = await fetch(`${process.url}/api/conversations/${id}/turns`);
    expect(await turns.json()).toMatchObject({ turns: [{ status: 'completed' }, { status: 'completed' }] });
  });
});

describe('the model request of a completion', () => {
  let provider: ScriptedProvider;
  let process: SwitchyardProcess;
  let client: OpenAI;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    process = await startStandalone({ ...provider.env, SYSTEM_PROMPT: 'You are the fleet.' });
    client = new OpenAI({ baseURL: `${process.url}/v1`, apiKey: 'any' });
  });
  afterEach(() => expect([provider.violations, provider.unused]).toEqual([[], 0]));
  afterAll(async () => {
    await process.kill('SIGTERM');
    await provider.close();
    await removeFolders();
  });

  it('contains the history, the system messages and the options', async () => {
    provider.answer(useTools(['toolu_1', 'math__add', { a: 17, b: 25 }]), say('It is 42.'));
    const completion = await client.chat.completions.create({
      model: 'switchyard',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello! What now?' },
        ...QUESTION,
      ],
      max_tokens: 77,
    });
    expect(completion.choices[0]!.message.content).toBe('It is 42.');
    const { body } = provider.requests.at(-1)!;
    expect(body.max_tokens).toBe(77);
    expect(JSON.stringify(body.system)).toContain('You are the fleet.\\n\\nBe brief.');
    expect(JSON.stringify(provider.lastMessages.slice(0, 3))).toMatch(
      /"user".*Hello.*"assistant".*Hello! What now\?.*"user".*17 \+ 25/,
    );
  });

  it('reports its failure to the client', async () => {
    provider.answer({ status: 401, message: 'invalid x-api-key' });
    const asked = client.chat.completions.create({ model: 'switchyard', messages: QUESTION });
    await expect(asked).rejects.toMatchObject({ status: 502, code: 'model_error' });
  });
});
