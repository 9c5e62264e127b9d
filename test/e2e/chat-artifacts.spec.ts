import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import {
  answerOf,
  artifactsOf,
  linesOf,
  statuses,
  type Line,
} from '../integration/dialects/artifact-lines.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { ScriptedProvider } from './scripted-provider.js';
import { removeFolders, startStandalone } from './standalone-process.js';

/* chat-artifacts-ndjson of the program as it is started, with a provider that refuses what the real one refuses. */

const CODE = { type: 'application/vnd.ant.code', title: 'Sum', content: '17 + 25', language: 'js' };
const add = (id: string, a: number) => useTools([id, 'math__add', { a, b: 25 }]);
const format = (conversation: unknown) => useTools(['toolu_f', 'response_formatter', { conversation }]);

let provider: ScriptedProvider;
let standalone: SwitchyardProcess;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  standalone = await startStandalone(provider.env);
});
afterEach(() => expect(provider.violations).toEqual([]));
afterAll(async () => {
  await standalone.kill();
  await provider.close();
  await removeFolders();
});

async function chat(body: object): Promise<Line[]> {
  const response = await fetch(`${standalone.url}/api/chat-artifacts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'what is 17 + 25?', ...body }),
  });
  expect(response.status).toBe(200);
  return linesOf(await response.text());
}

describe('chat-artifacts with a model of Anthropic', () => {
  it('8 makes a forced call that the provider accepts and that becomes the answer', async () => {
    provider.answer(
      add('toolu_1', 17),
      { content: [{ type: 'thinking', chunks: ['hm'], signature: 'sig' }, ...say('It is 42.').content] },
      format([
        { type: 'text', content: 'It is **42**:' },
        { type: 'artifact', artifact: CODE },
      ]),
    );
    const lines = await chat({ modelProvider: 'claude' });
    expect(statuses(lines)).toEqual([
      'Processing request...',
      'Using model provider: claude',
      'Executing tool: add...',
      'Tool add: Executed successfully',
      'Getting formatted response from claude...',
      'Response complete',
    ]);
    expect(answerOf(lines)).toMatch(/^It is \*\*42\*\*:\n\n<button .*>📎 Sum<\/button>$/);
    expect(artifactsOf(lines)).toMatchObject([{ type: 'code', content: '17 + 25', position: 0 }]);
    const { body } = provider.requests.at(-1)!;
    expect(body).toMatchObject({
      tool_choice: { type: 'tool', name: 'response_formatter' },
      thinking: { type: 'disabled' },
    });
    expect(provider.unused).toBe(0);
  });

  it('6 pairs calls and results in every request, even in a continued conversation', async () => {
    const conversationId = 'pairs';
    const first = [add('toolu_1', 1), add('toolu_2', 2), say('Both.'), format('Both are done.')];
    provider.answer(
      ...first,
      add('toolu_3', 3),
      say('Three.'),
      format([{ type: 'text', content: 'Three.' }]),
    );
    await chat({ conversationId });
    const lines = await chat({ conversationId, message: 'and now?' });
    expect(answerOf(lines)).toBe('Three.');
    const sent = JSON.stringify(provider.lastMessages);
    expect(sent).toContain('Both are done.');
    expect(sent.split('"tool_use_id"').length).toBe(4);
  });

  it('lists the providers it can ask', async () => {
    const status = (await (await fetch(`${standalone.url}/api/api-keys/status`)).json()) as object;
    expect(status).toMatchObject({ success: true, data: { anthropic: true, ollama: false } });
  });
});
