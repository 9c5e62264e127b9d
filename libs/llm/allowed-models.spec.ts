import { describe, expect, it } from '@jest/globals';
import { allowedModels, findModelRefusal, isModelAllowed } from './allowed-models.js';

const openAi = { MODEL: 'openai/small', OPENAI_API_KEY: 'sk-test-0123456789' };

describe('models that clients may name', () => {
  it('are the deployment’s, those in the settings, and one of each other configured provider', () => {
    const env = { ...openAi, ANTHROPIC_API_KEY: 'sk-ant-test-0123456789' };
    const allowed = allowedModels(env, { listed: ['openai/large', 'openai', 'gemini', 'demo'] });
    expect(allowed).toEqual(['openai/small', 'openai/large', 'demo', expect.stringMatching(/^anthropic\//)]);
  });

  it('include the suggested model of a provider with a key while the demo model answers', () => {
    expect(allowedModels({ OPENAI_API_KEY: 'sk-test-0123456789' }, {})).toEqual(['demo', 'openai/gpt-5']);
    expect(allowedModels({}, {})).toEqual(['demo']);
  });

  it('are those of the configured list, and always the deployment’s', () => {
    const listed = ['openai/large'];
    expect(allowedModels(openAi, { listed, allow: ['gemini/*'] })).toEqual(['openai/small', 'gemini/*']);
    expect(allowedModels(openAi, { listed, allow: [] })).toEqual(['openai/small']);
  });
});

describe('allowed model patterns', () => {
  it.each([
    ['openai/gpt-5', 'openai/gpt-5', true],
    ['openai/gpt-5', 'openai/gpt-5-pro', false],
    ['openai/*', 'openai/o9-very-expensive', true],
    ['openai/*', 'openai-proxy/gpt', false],
    ['openai/*-mini', 'openai/gpt-mini', true],
    ['openai/*-mini', 'openai/mini', false],
    ['openai/a*b*c', 'openai/a-b-b-c', true],
    ['openai/a*b*c', 'openai/a-c-b', false],
    ['openai/aa*aa', 'openai/aaa', false],
    ['*', 'anything/at-all', true],
    ['*', '', true],
    ['demo', '__proto__', false],
  ])('%s allows %s: %s', (pattern, model, isAllowed) => {
    expect(isModelAllowed([pattern], model)).toBe(isAllowed);
  });

  it('refuse other models with the list of allowed ones', () => {
    expect(findModelRefusal(['demo', 'openai/*'], 'demo')).toBeUndefined();
    expect(findModelRefusal(['demo', 'openai/*'], 'gemini/x')).toBe(
      "The model 'gemini/x' is not allowed here. Use one of these: demo, openai/*.",
    );
    const many = Array.from({ length: 40 }, (_, index) => `a/${index}`);
    expect(findModelRefusal(many, 'b/'.repeat(5_000))?.length).toBeLessThan(500);
  });
});
