import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Turn } from '#contracts';
import { DemoModel } from '#demo-model';
import { createModel } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { SystemClock } from '#time';
import { chatBody, chatSay, chatUseTools } from '../../fakes/chat-reply.js';
import type { ChatService } from '../../fakes/chat-request-rules.js';
import type { RawReply } from '../../fakes/scripted-api.js';
import { startStrictChatApi, type StrictChatApi } from '../../fakes/strict-chat-api.js';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness } from './fleet-harness.js';

interface Provider {
  what: string;
  service: ChatService;
  model: string;
  env: (baseUrl: string) => Record<string, string>;
  /** What stands before the calls of a step, and what comes with the first of them. */
  thought?: Record<string, unknown>;
  signed?: Record<string, unknown>;
}

const clock = new SystemClock();
const openAi = (baseUrl: string) => ({ OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: baseUrl });
const PROVIDERS: Provider[] = [
  { what: 'OpenAI', service: 'openai', model: 'openai/gpt-6', env: openAi },
  {
    what: 'a server that wants its reasoning back',
    service: 'compatible',
    model: 'openai/deepseek-v4',
    env: openAi,
    thought: { reasoning_content: 'Two shelves will do.' },
  },
  {
    what: 'Gemini, with its signatures',
    service: 'gemini',
    model: 'gemini/gemini-3.8-flash',
    env: (baseUrl) => ({ GEMINI_API_KEY: 'AIza-test-0123456789', GEMINI_BASE_URL: baseUrl }),
    signed: { extra_content: { google: { thought_signature: 'c2lnbmVk' } } },
  },
];

const shelf = () =>
  defineToolset({
    name: 'shelf',
    version: '1.0.0',
    tools: ['a', 'b', 'c'].map((name) =>
      defineTool({
        name,
        description: `Reads shelf ${name}.`,
        input: z.strictObject({ query: z.string().optional() }),
        class: 'read',
        timeoutMs: 5_000,
        run: async ({ query }) => `Nothing about ${query} on ${name}.`,
      }),
    ),
  });

let fleet: FleetHarness;
let api: StrictChatApi;
let replies: RawReply[];
beforeEach(async () => {
  replies = [];
  fleet = await FleetHarness.open();
  await fleet.startWorker([shelf()]);
});
afterEach(async () => {
  await fleet.close();
  await api.close();
});

/** Every call of a step at once, as servers send them. */
function read({ thought, signed }: Provider, ...names: string[]): RawReply {
  const calls = names.map((name, index) => ({
    index,
    id: `provider_${index}`,
    type: 'function',
    function: { name: `shelf__${name}`, arguments: JSON.stringify({ query: `${name}, "é😀"` }) },
    ...(index === 0 ? signed : {}),
  }));
  return { raw: chatBody([...(thought ? [thought] : []), { tool_calls: calls }], 'tool_calls') };
}

async function ask(
  content: string,
  { after, ...options }: Turn['options'] & { after?: Turn },
  ...answers: RawReply[]
): Promise<Turn> {
  replies.push(...answers);
  const turn = await fleet.submit(content, { options, ...(after ? { after } : {}) });
  await waitFor(() => fleet.of(turn, 'complete')[0] ?? fleet.of(turn, 'error')[0], { what: content });
  expect(fleet.of(turn, 'error')).toEqual([]);
  return turn;
}

/** A body up to the end of its last message, without the bracket that closes the list. */
function untilLastMessage(rawBody: string, messages: unknown[]): string {
  const list = JSON.stringify(messages).slice(0, -1);
  const at = rawBody.indexOf(list);
  expect(at).toBeGreaterThan(0);
  return rawBody.slice(0, at + list.length);
}

describe('the bodies of requests over Chat Completions', () => {
  it.each(PROVIDERS)(
    'to $what: each request’s messages are a strict prefix of the next one’s, byte for byte, with the same tools',
    async (provider) => {
      const { service, model, env } = provider;
      api = await startStrictChatApi({ service, script: () => replies.shift()! });
      const settings = { model, systemPrompt: 'Be brief, and look before you answer.' };
      const orchestrate = () =>
        fleet.startOrchestrator(
          createModel({ MODEL: model, ...env(api.baseUrl) }, { clock, demo: new DemoModel(clock) }),
          settings,
        );
      const first = await orchestrate();
      let turn = await ask('one', {}, read(provider, 'a', 'b'), read(provider, 'c'), chatSay('One.'));
      turn = await ask('two', { after: turn }, chatSay('Two.'));
      // The history that another process builds from the journal is the one that this process has grown.
      await first.drain(0);
      await orchestrate();
      turn = await ask('three', { after: turn }, read(provider, 'a', 'b', 'c'), chatSay('Three.'));
      await ask('four', { after: turn }, read(provider, 'b'), chatSay('Four.'));
      expect(api.violations).toEqual([]);
      expect(api.requests).toHaveLength(8);
      for (const [i, { body, rawBody }] of api.requests.entries()) {
        const tools = JSON.stringify(body.tools);
        expect(body.tools).toHaveLength(3);
        const next = api.requests[i + 1];
        if (!next) break;
        expect(next.body.messages.length).toBeGreaterThan(body.messages.length);
        expect(next.rawBody.startsWith(`${untilLastMessage(rawBody, body.messages)},`)).toBe(true);
        expect(next.rawBody).toContain(`"tools":${tools}`);
      }
      const last = api.requests.at(-1)!.rawBody;
      for (const given of [provider.thought, provider.signed])
        if (given) expect(last.split(JSON.stringify(given).slice(1, -1))).toHaveLength(5);
    },
  );

  it.each(PROVIDERS)(
    'to $what: 95 % of a forced answer’s request are in the request of the previous step',
    async (provider) => {
      const { service, model, env } = provider;
      api = await startStrictChatApi({ service, script: () => replies.shift()! });
      const systemPrompt = 'Be brief, and look before you answer. '.repeat(500);
      await fleet.startOrchestrator(
        createModel({ MODEL: model, ...env(api.baseUrl) }, { clock, demo: new DemoModel(clock) }),
        {
          model,
          systemPrompt,
        },
      );
      const answer = chatUseTools(['f', 'response_formatter', { conversation: 'Nothing is there.' }]);
      await ask('one', { formatter: true }, read(provider, 'a', 'b'), chatSay('Nothing.'), answer);
      expect(api.violations).toEqual([]);
      const forced = api.requests.at(-1)!;
      expect(forced.body.tool_choice).toBeDefined();
      const before = api.requests.at(-2)!;
      expect(forced.body.tools).toEqual(before.body.tools);
      const [front, whole] = [before, forced].map(({ rawBody, body }) =>
        untilLastMessage(rawBody, body.messages),
      );
      expect(whole!.startsWith(front!)).toBe(true);
      const toolsLength = JSON.stringify(forced.body.tools).length;
      expect((front!.length + toolsLength) / (whole!.length + toolsLength)).toBeGreaterThanOrEqual(0.95);
    },
  );
});
