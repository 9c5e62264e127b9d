import { expect, it } from '@jest/globals';
import { OfferedModels } from './offered-models.js';

let connectedForMs = Infinity;
const bus = { send: () => Promise.resolve('confirmed' as const), connectedForMs: () => connectedForMs };
const noted: unknown[] = [];
const refusals = { note: (...refusal: unknown[]) => void noted.push(refusal) };
const ann = { id: 'ann' };
const claude = { provider: 'anthropic', model: 'anthropic/claude' };
const gpt = { provider: 'openai', model: 'openai/gpt' };

it('a provider is offered when every orchestrator that lives can ask it', () => {
  let now = 0;
  const models = new OfferedModels(bus, 'gateway-1', refusals, () => now);
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
  const models = new OfferedModels(bus, 'gateway-1', refusals, () => now);
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude] });
  now = 60_000;
  connectedForMs = 29_999;
  expect(models.modelOf('anthropic')).toBe('anthropic/claude');
  connectedForMs = 30_000;
  expect(models.modelOf('anthropic')).toBeUndefined();
});

it('a model is refused unless every orchestrator that says what it allows has it', () => {
  let now = 0;
  const models = new OfferedModels(bus, 'gateway-1', refusals, () => now);
  models.check('anything/at-all', ann);
  models.announce({ orchestrator: 'orchestrator-0', providers: [claude] });
  expect(models.allowed).toBeUndefined();
  models.check('anything/at-all', ann);
  models.announce({ orchestrator: 'orchestrator-1', providers: [], allowed: ['demo', 'openai/*'] });
  models.check('openai/any', ann);
  models.announce({ orchestrator: 'orchestrator-2', providers: [], allowed: ['demo', 'openai/gpt'] });
  models.check('demo', ann);
  models.check(undefined, ann);
  expect(() => models.check('openai/any', ann)).toThrow(
    "The model 'openai/any' is not allowed here. Use one of these: demo, openai/gpt.",
  );
  models.check('openai/gpt', ann);
  expect(models.allowed).toEqual(['demo']);
  expect(noted).toEqual([['models.allow', { user_id: 'ann' }]]);
  now = 30_000;
  models.check('openai/any', ann);
});
