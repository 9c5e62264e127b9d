import { describe, expect, it } from '@jest/globals';
import { DEFAULT_BUDGETS } from '#turn';
import { useOfModel } from './settings/model-use.js';
import { settingsFileSchema, toSettings } from './settings-file.js';

const parse = (file: unknown) => toSettings(settingsFileSchema.parse(file));
const problem = (file: unknown) => settingsFileSchema.safeParse(file).error?.issues[0];

describe('the settings file', () => {
  it('has the default budgets when it is empty', () => {
    expect(parse({}).budgets).toEqual(DEFAULT_BUDGETS);
  });

  it('sets rates of toolsets and tools, in milliseconds', () => {
    const rate = { calls: 3, per_seconds: 1.5 };
    const { tools } = parse({ tools: { web: { rate }, 'web.search': { rate } } });
    expect([...tools.values()].map((tool) => tool.rate)).toEqual(Array(2).fill({ calls: 3, perMs: 1_500 }));
    expect(problem({ tools: { web: { rate: { calls: 0, per_seconds: 1 } } } })?.path).toEqual([
      'tools',
      'web',
      'rate',
      'calls',
    ]);
    expect(problem({ tools: { web: { rate: { calls: 1 } } } })?.path.at(-1)).toBe('per_seconds');
  });

  it('sets budgets of providers and models', () => {
    const { modelBudgets } = parse({
      models: {
        anthropic: { streams: 5 },
        'anthropic/large': { requests_per_minute: 7, tokens_per_minute: 8 },
      },
    });
    expect(modelBudgets.get('anthropic')).toMatchObject({ streams: 5 });
    expect(modelBudgets.get('anthropic/large')).toMatchObject({ requestsPerMinute: 7, tokensPerMinute: 8 });
    expect(problem({ models: { 'two words': { streams: 1 } } })?.path).toEqual(['models', 'two words']);
  });

  it('sets windows and fallbacks of models, with those of the provider as defaults', () => {
    const { modelUse } = parse({
      models: {
        anthropic: { context_tokens: 200_000, max_output_tokens: 64_000, fallback: ['demo'] },
        'anthropic/small': { max_output_tokens: 8_192 },
        'anthropic/large': { fallback: ['openai/x', 'anthropic/small'] },
      },
    });
    expect(useOfModel(modelUse, 'anthropic/large')).toEqual({
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      fallback: ['openai/x', 'anthropic/small'],
    });
    expect(useOfModel(modelUse, 'anthropic/small')).toMatchObject({
      fallback: ['demo'],
      maxOutputTokens: 8_192,
    });
    expect(useOfModel(modelUse, 'openai/x')).toEqual({});
    expect(problem({ models: { demo: { fallback: ['anthropic'] } } })?.path).toEqual([
      ...['models', 'demo', 'fallback', 0],
    ]);
    expect(problem({ models: { demo: { max_output_tokens: 0 } } })?.path.at(-1)).toBe('max_output_tokens');
    expect(problem({ models: { demo: { context_tokens: 0 } } })?.path.at(-1)).toBe('context_tokens');
  });

  it('sets prices of providers and models, which are not budgets', () => {
    const { modelPrices, modelBudgets } = parse({
      models: {
        'openai/gpt-6': { price: { input: 2, cached_input: 0.5, output: 10 } },
        gemini: { streams: 3, price: { input: 1, output: 4 } },
      },
    });
    expect(modelPrices.get('openai/gpt-6')).toEqual({ input: 2, cachedInput: 0.5, output: 10 });
    expect(modelPrices.get('gemini')).toEqual({ input: 1, cachedInput: 1, output: 4 });
    expect([...modelBudgets.keys()]).toEqual(['gemini']);
    const price = { input: -1, output: 1 };
    expect(problem({ models: { gemini: { price } } })?.path).toEqual(['models', 'gemini', 'price', 'input']);
    expect(problem({ models: { gemini: { price: { input: 1 } } } })?.path.at(-1)).toBe('output');
  });

  it('configures the offer, and refuses unknown keys', () => {
    const offer = { allow: ['math'], block: ['mcp:files:delete'] };
    expect(parse({ offer }).offer).toEqual(offer);
    expect(parse({}).offer).toEqual({});
    expect(problem({ offer: { blocked: [] } })?.path).toEqual(['offer']);
  });
});
