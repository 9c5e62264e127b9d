import { expect, test } from '@jest/globals';
import { SystemClock } from '#time';
import { describeProviderContract, type ProviderFixtures } from '../testing/provider-contract.js';
import { describeModelContract } from '../testing/model-contract.js';
import { chatSay, chatUseTools } from '../../../test/fakes/chat-reply.js';
import type { ChatService } from '../../../test/fakes/chat-request-rules.js';
import { startStrictChatApi, type ChatScript } from '../../../test/fakes/strict-chat-api.js';
import { GEMINI } from '../providers/gemini.js';
import { OLLAMA } from '../providers/ollama.js';
import { OPENAI } from '../providers/openai.js';
import { PROVIDERS } from '../providers/registry.js';
import { ChatModel } from './chat-model.adapter.js';
import type { ChatProvider } from './chat-provider.js';

const SERVICES: [string, ChatService, ChatProvider, string, Partial<ProviderFixtures>][] = [
  ['OpenAI', 'openai', OPENAI, 'openai/gpt-6', {}],
  ['Gemini', 'gemini', GEMINI, 'gemini/gemini-3.8-flash', {}],
  ['Ollama', 'ollama', OLLAMA, 'ollama/qwen3:8b', { withoutRefusal: true }],
  ['a compatible server', 'compatible', OPENAI, 'openai/deepseek-v4', { withoutRefusal: true }],
];

test('ChatModel keeps both contracts for every provider that speaks Chat Completions', () => {
  const chatProviders = PROVIDERS.filter((provider) => 'features' in provider).map(({ name }) => name);
  expect(SERVICES.map(([, service]) => service)).toEqual(expect.arrayContaining(chatProviders));
});

async function start(service: ChatService, provider: ChatProvider, name: string, script: ChatScript) {
  const { baseUrl, requests, violations, close } = await startStrictChatApi({ service, script });
  const model = new ChatModel({ clock: new SystemClock(), provider, apiKey: 'sk-test-0123456789', baseUrl });
  return { model, name, requests, violations, close };
}

for (const [what, service, provider, name, rest] of SERVICES) {
  describeModelContract(`the adapter for ${what}`, () =>
    start(service, provider, name, ({ tools }) =>
      tools
        ? chatUseTools(
            ['call_1', 'math__add', { a: 17, b: 25 }],
            ['call_2', 'math__multiply', { a: 6, b: 7 }],
          )
        : chatSay('Hel', 'lo', '!'),
    ),
  );
  describeProviderContract(`the adapter for ${what}`, { folder: service, ...rest }, (reply) =>
    start(service, provider, name, () => reply),
  );
}
