import { describe, expect, it } from '@jest/globals';
import { createModel, defaultModelName, describeModel, ModelSetupError } from './model-setup.js';
import { ModelError } from './model.port.js';
import { aRequest, collect, textOf } from './testing/model-contract.js';
import { say } from '../../test/fakes/messages-reply.js';
import { startStrictMessagesApi } from '../../test/fakes/strict-messages-api.js';

const { signal } = new AbortController();
const CLAUDE = 'anthropic/claude-sonnet-5-5';

describe('createModel', () => {
  it('is the demo model when nothing is set, and when variables are empty', async () => {
    for (const env of [{}, { MODEL: '', ANTHROPIC_API_KEY: '' }]) {
      expect(defaultModelName(env)).toBe('demo');
      const parts = await collect(createModel(env, { demoTokenDelayMs: 0 }).stream(aRequest('demo'), signal));
      expect(textOf(parts)).toContain('demo model');
    }
  });

  it.each([
    [{ MODEL: CLAUDE }, 'ANTHROPIC_API_KEY is not set'],
    [{ MODEL: CLAUDE, ANTHROPIC_API_KEY: 'schlüssel' }, 'characters that a key cannot have'],
    [{ MODEL: CLAUDE, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'localhost:1' }, 'ANTHROPIC_BASE_URL'],
    [{ MODEL: 'anthropic/', ANTHROPIC_API_KEY: 'k' }, 'must name a model'],
    [{ MODEL: 'anthropic', ANTHROPIC_API_KEY: 'k' }, 'must name a model'],
    [{ MODEL: 'claude-sonnet-5-5' }, 'no known provider; supported are demo and anthropic/<model>'],
    [{ MODEL: 'openai/gpt-6' }, 'openai is not available yet; supported are demo and anthropic/<model>'],
    [{ MODEL: 'demo/fast' }, 'no known provider'],
  ])('refuses %j with one sentence that carries no value of a key', (env, sentence) => {
    const create = () => createModel(env);
    expect(create).toThrow(ModelSetupError);
    expect(create).toThrow(sentence);
    expect(create).not.toThrow('schlüssel');
  });

  it('chooses the provider by the model that the request names', async () => {
    const api = await startStrictMessagesApi({ script: () => say('from ', 'the API') });
    const env = { MODEL: 'demo', ANTHROPIC_API_KEY: ' key ', ANTHROPIC_BASE_URL: `${api.url}/v1/` };
    const model = createModel(env, { demoTokenDelayMs: 0 });
    expect(textOf(await collect(model.stream(aRequest(CLAUDE), signal)))).toBe('from the API');
    expect(textOf(await collect(model.stream(aRequest('demo'), signal)))).toContain('demo model');
    expect(api.requests).toHaveLength(1);
    await api.close();
  });

  it('fails only the turn that asks for a model without a key', async () => {
    const parts = collect(createModel({}).stream(aRequest(CLAUDE), signal));
    await expect(parts).rejects.toMatchObject({
      name: 'ModelError',
      kind: 'invalid',
      options: { retryable: false },
    });
    await expect(collect(createModel({}).stream(aRequest('gemini/x'), signal))).rejects.toThrow(ModelError);
  });
});

describe('describeModel', () => {
  it('says how to set a real model', () => {
    expect(describeModel({})).toContain('MODEL=anthropic/');
    expect(describeModel({})).toContain('ANTHROPIC_API_KEY');
    expect(describeModel({ ANTHROPIC_API_KEY: 'secret' })).not.toContain('ANTHROPIC_API_KEY');
  });

  it('names the model and the host of another address, never its password or the key', () => {
    const env = {
      MODEL: CLAUDE,
      ANTHROPIC_API_KEY: 'secret',
      ANTHROPIC_BASE_URL: 'https://me:pass@proxy.example/x',
    };
    expect(describeModel(env)).toBe(`${CLAUDE} through proxy.example`);
    expect(describeModel({ ...env, ANTHROPIC_BASE_URL: undefined })).toBe(CLAUDE);
  });
});
