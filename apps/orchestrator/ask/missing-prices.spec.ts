import { describe, expect, it } from '@jest/globals';
import { warnOfMissingPrices } from './missing-prices.js';

const price = { input: 1, cachedInput: 1, output: 1 };
const allowedModels = ['demo', 'anthropic/claude', 'openai/*', 'openai/gpt-6', 'ollama/qwen'];

function warningsOf(prices: string[], cost: number | undefined): unknown[] {
  const warnings: unknown[] = [];
  const modelPrices = new Map(prices.map((name) => [name, price]));
  const usage = { budget: { tokens: 1_000, cost }, keepDays: 400 };
  warnOfMissingPrices(
    { allowedModels, modelPrices, usage },
    { warn: (fields) => void warnings.push(fields) },
  );
  return warnings;
}

describe('the warning about missing prices', () => {
  it('names the allowed models that have no price, of their own or of their provider', () => {
    expect(warningsOf(['anthropic', 'openai/gpt-6'], 5)).toEqual([{ models: ['openai/*', 'ollama/qwen'] }]);
  });

  it('is left out when each model but the demo one has a price', () => {
    expect(warningsOf(['anthropic', 'openai', 'ollama/qwen'], 5)).toEqual([]);
  });

  it('is left out while no budget of cost is set', () => {
    expect(warningsOf([], undefined)).toEqual([]);
  });
});
