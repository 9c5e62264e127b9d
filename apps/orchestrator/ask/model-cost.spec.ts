import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '#observability';
import { countCost, warnOfMissingPrices } from './model-cost.js';

const usage = { input_tokens: 1_000_000, cached_tokens: 600_000, output_tokens: 200_000 };
const PRICES = new Map([
  ['openai/gpt-6', { input: 2, cachedInput: 0.5, output: 10 }],
  ['ollama', { input: 0, cachedInput: 0, output: 0.5 }],
]);

async function countedFor(...models: string[]): Promise<string[]> {
  const metrics = createMetrics({ collectDefaults: false });
  for (const model of models) countCost(metrics, PRICES, { model, usage });
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith('switchyard_model_cost_total'));
}

describe('the cost of answers', () => {
  it('is computed per model, with cached input at its own price', async () => {
    expect(await countedFor('openai/gpt-6')).toEqual([
      'switchyard_model_cost_total{model="openai/gpt-6"} 3.1',
    ]);
    expect(await countedFor('openai/gpt-6', 'openai/gpt-6')).toEqual([
      'switchyard_model_cost_total{model="openai/gpt-6"} 6.2',
    ]);
  });

  it('uses the price of the provider for a model without a price, under the provider’s name', async () => {
    expect(await countedFor('ollama/any-name-of-a-client')).toEqual([
      'switchyard_model_cost_total{model="ollama"} 0.1',
    ]);
  });

  it('is omitted without a price', async () => {
    expect(await countedFor('openai/other')).toEqual([]);
  });
});

const PRICE = { input: 1, cachedInput: 1, output: 1 };
const allowedModels = ['demo', 'anthropic/claude', 'openai/*', 'openai/gpt-6', 'ollama/qwen'];

function warningsOf(prices: string[], cost: number | undefined): unknown[] {
  const warnings: unknown[] = [];
  const modelPrices = new Map(prices.map((name) => [name, PRICE]));
  const usage = { budget: { tokens: 1_000, cost }, keepDays: 400 };
  warnOfMissingPrices(
    { allowedModels, modelPrices, usage },
    { warn: (fields) => void warnings.push(fields) },
  );
  return warnings;
}

describe('the warning about missing prices', () => {
  it('names the allowed models without a price of their own or of their provider', () => {
    expect(warningsOf(['anthropic', 'openai/gpt-6'], 5)).toEqual([{ models: ['openai/*', 'ollama/qwen'] }]);
  });

  it('is absent when each model except the demo one has a price', () => {
    expect(warningsOf(['anthropic', 'openai', 'ollama/qwen'], 5)).toEqual([]);
  });

  it('is absent while no cost budget is configured', () => {
    expect(warningsOf([], undefined)).toEqual([]);
  });
});
