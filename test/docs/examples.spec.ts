import { afterEach, describe, expect, test } from '@jest/globals';
import { systemTime } from '#time';
import type { ModelTool } from '#llm';
import { plainText } from '../../examples/dialect/plain-text.dialect.js';
import { DEEPSEEK } from '../../examples/provider/deepseek.js';
import { ADD_TOOL, aRequest, callsOf, collect, textOf } from '../../libs/llm/testing/model-contract.js';
import { chatSay, chatUseTools } from '../fakes/chat-reply.js';
import { startStrictChatApi } from '../fakes/strict-chat-api.js';
import { startHarness, type Harness } from '../integration/gateway/gateway-harness.js';
import { PlayedTurn } from '../integration/gateway/played-turn.js';
import { waitFor } from '../services/wait-for.js';
import { readDocument } from './documents.js';

describe('package.json', () => {
  test.each([
    ['package.json', ['start', 'start:gateway', 'start:orchestrator', 'start:tool-worker', 'switchyard']],
    ['examples/another-team/package.json', ['start']],
  ])('%s starts programs in place of the shell, so that SIGTERM to npm ends them', (path, names) => {
    const { scripts } = JSON.parse(readDocument(path)) as { scripts: Record<string, string> };
    for (const name of names)
      expect([name, scripts[name]]).toEqual([name, expect.stringMatching(/(^| )exec /)]);
  });
});

describe('examples/dialect', () => {
  let harness: Harness;
  afterEach(() => harness.stop());

  test('starts a turn with a GET, answers with its text, and refuses in its own format', async () => {
    harness = await startHarness({ given: { dialects: [plainText] } });
    const asking = fetch(`${harness.url}/ask?q=hello`);
    const find = async () => (await harness.store.listUnendedTurnsOf('local'))[0];
    const played = new PlayedTurn(harness, await waitFor(find, { what: 'the turn' }));
    await played.start();
    played.beginStep(1);
    played.token(1, 'Good ');
    played.token(1, 'day.');
    played.complete(await played.commit(1, 'Good day.'));
    const response = await asking;
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/plain; charset=utf-8',
      'Good day.',
    ]);

    const refused = await fetch(`${harness.url}/ask`);
    expect([refused.status, await refused.text()]).toEqual([422, 'q: is required']);
  });
});

describe('examples/provider', () => {
  test('opens a model that streams text and calls tools, with requests that a strict server accepts', async () => {
    const api = await startStrictChatApi({
      service: 'compatible',
      script: ({ tools }) =>
        tools ? chatUseTools(['call_1', 'math__add', { a: 1, b: 2 }]) : chatSay('Hel', 'lo!'),
    });
    const access = { apiKey: 'sk-test-0123456789', baseUrl: api.baseUrl };
    const model = await DEEPSEEK.open(access, systemTime().clock);
    const ask = (tools: ModelTool[]) =>
      collect(model.stream(aRequest('deepseek/deepseek-chat', { tools }), new AbortController().signal));
    expect(textOf(await ask([]))).toBe('Hello!');
    expect(callsOf(await ask([ADD_TOOL]))).toEqual([['math__add', { a: 1, b: 2 }]]);
    expect([api.requests.length, api.violations]).toEqual([2, []]);
    await api.close();
  });
});
