import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chatBody, chatSay, chatUseTools } from '../fakes/chat-reply.js';
import { say, type ScriptedReply } from '../fakes/messages-reply.js';
import type { RawReply } from '../fakes/scripted-api.js';
import { startStrictChatApi, type StrictChatApi } from '../fakes/strict-chat-api.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { callsOf, endsOf, statusAndText } from './models-chat.js';
import { ScriptedProvider } from './scripted-provider.js';
import { removeFolders, startStandalone, writeSettings } from './standalone-process.js';
import { Viewer } from './viewer.js';

const OPENAI = 'openai/gpt-6';
const CLAUDE = 'anthropic/claude-sonnet-5-5';
const GEMINI = 'gemini/gemini-3.8-flash';

describe('a process with several providers', () => {
  const openaiReplies: RawReply[] = [];
  const geminiReplies: RawReply[] = [];
  let anthropic: ScriptedProvider;
  let openai: StrictChatApi;
  let gemini: StrictChatApi;
  let standalone: SwitchyardProcess;
  let viewer: Viewer;
  let conversation_id: string | undefined;

  beforeAll(async () => {
    const unexpected = { status: 400, message: 'the test did not expect this request' };
    anthropic = await ScriptedProvider.start();
    openai = await startStrictChatApi({
      service: 'openai',
      script: () => openaiReplies.shift() ?? unexpected,
    });
    gemini = await startStrictChatApi({
      service: 'gemini',
      script: () => geminiReplies.shift() ?? unexpected,
    });
    const price = { input: 1, cached_input: 0, output: 100_000 };
    standalone = await startStandalone({
      ...anthropic.env,
      MODEL: OPENAI,
      OPENAI_API_KEY: 'sk-proj-test-0123456789',
      OPENAI_BASE_URL: openai.baseUrl,
      GEMINI_API_KEY: 'AIzaTest-0123456789abcdef',
      GEMINI_BASE_URL: gemini.baseUrl,
      CONFIG: await writeSettings('switchyard.json', { models: { allow: ['*'], openai: { price } } }),
    });
    viewer = await Viewer.connect(standalone.url);
  }, 60_000);
  afterAll(async () => {
    viewer.close();
    await standalone.kill('SIGTERM');
    await Promise.all([anthropic.close(), openai.close(), gemini.close()]);
    await removeFolders();
  });
  afterEach(() => {
    expect([anthropic.violations, openai.violations, gemini.violations]).toEqual([[], [], []]);
  });

  async function ask(content: string, model?: string) {
    const options = model === undefined ? {} : { options: { model } };
    const place = conversation_id === undefined ? {} : { conversation_id };
    const sent = await viewer.send(content, { ...place, ...options });
    conversation_id = sent.conversation_id;
    return viewer.ended(sent.conversation_id, sent.turn_id);
  }

  const answerAnthropic = (...replies: ScriptedReply[]) => anthropic.answer(...replies);
  const sums = chatUseTools(
    ['call_1', 'math__add', { a: 17, b: 25 }],
    ['call_1', 'math__multiply', { a: 6, b: 7 }],
  );

  test('runs a turn with two parallel tools on OpenAI', async () => {
    conversation_id = undefined;
    openaiReplies.push(sums, chatSay('Both ', 'are 42.'));
    const turn = await ask('what is 17 + 25 and 6 * 7?');
    expect(statusAndText(turn)).toEqual(['completed', 'Both are 42.']);
    expect(endsOf(turn)).toEqual([
      ['succeeded', '42'],
      ['succeeded', '42'],
    ]);
    expect(turn.usage).toEqual({ input_tokens: 20, output_tokens: 10, cached_tokens: 0 });
    const results = openai.requests.at(-1)!.body.messages.slice(-2);
    expect(results).toEqual(
      callsOf(turn).map(({ tool_call_id }) => ({ role: 'tool', tool_call_id, content: '42' })),
    );
    const metrics = await (await fetch(`${standalone.url}/metrics`)).text();
    expect(metrics).toMatch(/^switchyard_model_cost_total\{model="openai"\} 1\.00002$/m);
  });

  test('changes the provider in the middle of a conversation and back; thinking stays with its provider', async () => {
    conversation_id = undefined;
    answerAnthropic(
      {
        content: [
          { type: 'thinking', chunks: ['of Claude'], signature: 'signed-by-claude' },
          { type: 'tool_use', id: 'toolu_1', name: 'math__add', input: { a: 1, b: 1 } },
        ],
      },
      say('Two.'),
    );
    expect(statusAndText(await ask('1 + 1?', CLAUDE))).toEqual(['completed', 'Two.']);

    openaiReplies.push(sums, chatSay('Both are 42.'));
    expect(statusAndText(await ask('and these?'))).toEqual(['completed', 'Both are 42.']);
    expect(JSON.stringify(openai.requests.at(-1)!.body)).not.toContain('claude');

    const signature = { google: { thought_signature: 'signed-by-gemini' } };
    const call = { id: 'g1', type: 'function', function: { name: 'math__add', arguments: '{"a":2,"b":2}' } };
    geminiReplies.push(
      { raw: chatBody([{ tool_calls: [{ ...call, extra_content: signature }] }]) },
      chatSay('Four.'),
    );
    expect(statusAndText(await ask('2 + 2?', GEMINI))).toEqual(['completed', 'Four.']);
    const told = JSON.stringify(gemini.requests.at(-1)!.body);
    expect(told).toContain('signed-by-gemini');
    expect(told).not.toContain('signed-by-claude');

    answerAnthropic(say('Back.'));
    expect(statusAndText(await ask('and you?', CLAUDE))).toEqual(['completed', 'Back.']);
    const back = JSON.stringify(anthropic.lastMessages);
    expect(back).toContain('signed-by-claude');
    expect(back).not.toContain('signed-by-gemini');
    expect(back.match(/tool_result/g)).toHaveLength(4);
  });

  test('a turn that asks for an unconfigured provider fails alone, and names what is missing', async () => {
    conversation_id = undefined;
    const turn = await ask('hello', 'ollama/qwen3:8b');
    expect([turn.status, turn.error?.message]).toEqual([
      'failed',
      expect.stringContaining('OLLAMA_BASE_URL'),
    ]);
  });

  test('the log contains no key', () => {
    expect(standalone.log).not.toMatch(/sk-proj-test|AIzaTest/);
  });
});
