import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { chatSay } from '../../test/fakes/chat-reply.js';
import { say } from '../../test/fakes/messages-reply.js';
import { startStrictChatApi } from '../../test/fakes/strict-chat-api.js';
import { startStrictMessagesApi } from '../../test/fakes/strict-messages-api.js';
import { createModel, defaultModelName, describeModel, ModelSetupError } from './model-setup.js';
import { ModelError } from './port/model.port.js';
import { ScriptedModel } from './scripted/scripted-model.js';
import { availableProviders, type ModelEnvironment } from './provider-settings.js';
import { aRequest, collect, textOf } from './testing/model-contract.js';

const { signal } = new AbortController();
const clock = new SystemClock();
const demo = new ScriptedModel(() => [{ type: 'text', text: 'from the demo model' }]);
const CLAUDE = 'anthropic/claude-sonnet-5-5';

describe('createModel', () => {
  it('returns the demo model when nothing is set, and when variables are empty', async () => {
    for (const env of [{}, { MODEL: '', ANTHROPIC_API_KEY: '' }]) {
      expect(defaultModelName(env)).toBe('demo');
      const parts = await collect(createModel(env, { clock, demo }).stream(aRequest('demo'), signal));
      expect(textOf(parts)).toBe('from the demo model');
    }
  });

  it.each([
    [{ MODEL: CLAUDE }, 'ANTHROPIC_API_KEY is not set'],
    [{ MODEL: CLAUDE, ANTHROPIC_API_KEY: 'schlüssel' }, 'characters that a key cannot have'],
    [{ MODEL: CLAUDE, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'localhost:1' }, 'ANTHROPIC_BASE_URL'],
    [{ MODEL: 'anthropic/', ANTHROPIC_API_KEY: 'k' }, 'must name a model'],
    [{ MODEL: 'anthropic', ANTHROPIC_API_KEY: 'k' }, 'must name a model'],
    [
      { MODEL: 'claude-sonnet-5-5' },
      'no known provider; supported are demo, anthropic/<model>, openai/<model>',
    ],
    [
      { MODEL: 'openai/gpt-6' },
      'OPENAI_API_KEY is not set; set it to use an openai/ model, or choose another model.',
    ],
    [{ MODEL: 'openai/gpt-6', OPENAI_BASE_URL: 'ftp://x' }, 'OPENAI_BASE_URL is not an http or https URL'],
    [{ MODEL: 'openai/gpt-6', OPENAI_API_KEY: 'schlüssel' }, 'OPENAI_API_KEY contains characters'],
    [{ MODEL: 'openai/', OPENAI_API_KEY: 'k' }, 'must name a model'],
    [{ MODEL: 'gemini/gemini-3.8-flash' }, 'GEMINI_API_KEY is not set; set it to use a gemini/ model'],
    [{ MODEL: 'gemini/x', GEMINI_API_KEY: 'k', GEMINI_BASE_URL: 'x' }, 'GEMINI_BASE_URL is not'],
    [{ MODEL: 'ollama/qwen3:8b', OLLAMA_BASE_URL: '127.0.0.1:11434' }, 'OLLAMA_BASE_URL is not'],
    [{ MODEL: 'demo/fast' }, 'no known provider'],
  ])('refuses %j with one sentence that contains no key', (env, sentence) => {
    const create = () => createModel(env, { clock, demo });
    expect(create).toThrow(ModelSetupError);
    expect(create).toThrow(sentence);
    expect(create).not.toThrow('schlüssel');
  });

  it('refuses a fallback that could not be used', () => {
    const env = { MODEL: CLAUDE, ANTHROPIC_API_KEY: 'k' };
    expect(() => createModel(env, { clock, demo, fallbacks: ['openai/gpt-6'] })).toThrow(
      'CONFIG names openai/gpt-6 as a fallback. OPENAI_API_KEY is not set',
    );
    expect(() => createModel(env, { clock, demo, fallbacks: [CLAUDE, 'demo'] })).not.toThrow();
  });

  it('selects the provider by the model that the request names', async () => {
    const api = await startStrictMessagesApi({ script: () => say('from ', 'the API') });
    const env = { MODEL: 'demo', ANTHROPIC_API_KEY: ' key ', ANTHROPIC_BASE_URL: `${api.url}/v1/` };
    const model = createModel(env, { clock, demo });
    expect(textOf(await collect(model.stream(aRequest(CLAUDE), signal)))).toBe('from the API');
    expect(textOf(await collect(model.stream(aRequest('demo'), signal)))).toBe('from the demo model');
    expect(api.requests).toHaveLength(1);
    await api.close();
  });

  it.each([
    ['openai/gpt-6', 'openai', '/v1', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: '' }],
    ['openai/gpt-6', 'compatible', '', { OPENAI_BASE_URL: '' }],
    ['gemini/gemini-3.8-flash', 'gemini', '/v1beta/openai/', { GEMINI_API_KEY: 'k', GEMINI_BASE_URL: '' }],
    ['ollama/qwen3:8b', 'ollama', '', { OLLAMA_BASE_URL: '' }],
    ['ollama/qwen3:8b', 'ollama', '/v1/', { OLLAMA_BASE_URL: '' }],
  ] as const)(
    'talks to %s as to %s, with "%s" at the end of its address',
    async (MODEL, service, path, env) => {
      const api = await startStrictChatApi({ service, script: () => chatSay('from ', 'there') });
      const variables = Object.entries(env).map(([name, value]) => [name, value || `${api.url}${path}`]);
      const model = createModel(
        { MODEL, ...(Object.fromEntries(variables) as ModelEnvironment) },
        { clock, demo },
      );
      const { signal: alive } = new AbortController();
      expect(textOf(await collect(model.stream(aRequest(MODEL), alive)))).toBe('from there');
      expect(api.violations).toEqual([]);
      await api.close();
    },
  );

  it('fails only the turn that asks for a model without a key', async () => {
    const parts = collect(createModel({}, { clock, demo }).stream(aRequest(CLAUDE), signal));
    await expect(parts).rejects.toMatchObject({
      name: 'ModelError',
      kind: 'invalid',
      options: { retryable: false },
    });
    await expect(
      collect(createModel({}, { clock, demo }).stream(aRequest('ollama/x'), signal)),
    ).rejects.toThrow(ModelError);
  });
});

describe('availableProviders', () => {
  it.each<[ModelEnvironment, string[]]>([
    [{}, []],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' }, ['anthropic', 'openai', 'gemini']],
    [
      { OPENAI_BASE_URL: 'http://localhost:1234/v1', OLLAMA_BASE_URL: 'http://localhost:11434' },
      ['openai', 'ollama'],
    ],
    [{ MODEL: 'ollama/qwen3:8b' }, ['ollama']],
    [{ OPENAI_API_KEY: ' ', GEMINI_API_KEY: 'k', GEMINI_BASE_URL: 'nowhere' }, []],
  ])('of %j are %j', (env, expected) => {
    expect(availableProviders(env)).toEqual(expected);
  });
});

describe('describeModel', () => {
  it('explains how to set a real model', () => {
    expect(describeModel({})).toContain('MODEL=anthropic/');
    expect(describeModel({})).toContain('ANTHROPIC_API_KEY');
    expect(describeModel({ ANTHROPIC_API_KEY: 'secret' })).not.toContain('ANTHROPIC_API_KEY');
  });

  it('names the model and the host of a custom address, never its password or the key', () => {
    const env = {
      MODEL: CLAUDE,
      ANTHROPIC_API_KEY: 'secret',
      ANTHROPIC_BASE_URL: 'https://me:pass@proxy.example/x',
    };
    expect(describeModel(env)).toBe(`${CLAUDE} through proxy.example`);
    expect(describeModel({ ...env, ANTHROPIC_BASE_URL: undefined })).toBe(CLAUDE);
    expect(describeModel({ MODEL: 'ollama/qwen3:8b', OLLAMA_BASE_URL: 'http://gpu:11434' })).toBe(
      'ollama/qwen3:8b through gpu:11434',
    );
  });
});
