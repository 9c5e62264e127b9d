import { expect, it } from '@jest/globals';
import { OfferedModels } from './offered-models.js';

let connectedForMs = Infinity;
const bus = { send: () => Promise.resolve('confirmed' as const), connectedForMs: () => connectedForMs };
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

it('an orchestrator that could not be heard while the broker was away is still offered', () => {
  let now = 0;
  const models = new OfferedModels(bus, 'gateway-1', () => now);
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude] });
  now = 60_000;
  connectedForMs = 29_999;
  expect(models.modelOf('anthropic')).toBe('anthropic/claude');
  connectedForMs = 30_000;
  expect(models.modelOf('anthropic')).toBeUndefined();
});
