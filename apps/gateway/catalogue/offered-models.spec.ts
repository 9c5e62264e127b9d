import { expect, it } from '@jest/globals';
import { OfferedModels } from './offered-models.js';

const bus = { send: () => Promise.resolve('confirmed' as const) };
const claude = { provider: 'anthropic', model: 'anthropic/claude' };
const gpt = { provider: 'openai', model: 'openai/gpt' };

it('a provider is offered when every orchestrator that lives can ask it', () => {
  let now = 0;
  const models = new OfferedModels(bus, 'gateway-1', () => now);
  expect(models.modelOf('anthropic')).toBeUndefined();
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude, gpt] });
  expect(models.modelOf('openai')).toBe('openai/gpt');
  now = 10_000;
  models.announce({ orchestrator: 'orchestrator-2', providers: [claude] });
  expect([models.modelOf('anthropic'), models.modelOf('openai')]).toEqual(['anthropic/claude', undefined]);
  now = 30_000;
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude, gpt] });
  now = 40_000;
  expect(models.modelOf('openai')).toBe('openai/gpt');
  now = 60_000;
  expect(models.modelOf('anthropic')).toBeUndefined();
});
