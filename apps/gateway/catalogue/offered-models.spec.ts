import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { OfferedModels } from './offered-models.js';

let connectedForMs = Infinity;
const bus = { send: () => Promise.resolve('confirmed' as const), connectedForMs: () => connectedForMs };
const noted: unknown[] = [];
const refusals = { note: (...refusal: unknown[]) => void noted.push(refusal) };
const ann = { id: 'ann' };
const claude = { provider: 'anthropic', model: 'anthropic/claude' };
const gpt = { provider: 'openai', model: 'openai/gpt' };

function setUp() {
  const random = new SeededRandom(1);
  const clock = new VirtualClock(random);
  return { clock, models: new OfferedModels(bus, 'gateway-1', refusals, { clock, random }) };
}

it('offers a provider when every living orchestrator can ask it', async () => {
  const { clock, models } = setUp();
  expect(models.modelOf('anthropic')).toBeUndefined();
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude, gpt] });
  expect(models.modelOf('openai')).toBe('openai/gpt');
  await clock.advance(10_000);
  models.announce({ orchestrator: 'orchestrator-2', providers: [claude] });
  expect([models.modelOf('anthropic'), models.modelOf('openai')]).toEqual(['anthropic/claude', undefined]);
  await clock.advance(20_000);
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude, gpt] });
  await clock.advance(10_000);
  expect(models.modelOf('openai')).toBe('openai/gpt');
  await clock.advance(20_000);
  expect(models.modelOf('anthropic')).toBeUndefined();
});

it('still offers the providers of an orchestrator that could not be reached during an outage of the broker', async () => {
  const { clock, models } = setUp();
  models.announce({ orchestrator: 'orchestrator-1', providers: [claude] });
  await clock.advance(60_000);
  connectedForMs = 29_999;
  expect(models.modelOf('anthropic')).toBe('anthropic/claude');
  connectedForMs = 30_000;
  expect(models.modelOf('anthropic')).toBeUndefined();
});

it('refuses a model that an orchestrator with a list of allowed models does not have', async () => {
  const { clock, models } = setUp();
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
  await clock.advance(30_000);
  models.check('openai/any', ann);
});

it('knows the model of turns that name none, unless orchestrators differ', () => {
  const { models } = setUp();
  expect(models.defaultModel).toBeUndefined();
  models.announce({ orchestrator: 'orchestrator-1', providers: [], default_model: 'demo' });
  models.announce({ orchestrator: 'orchestrator-2', providers: [], default_model: 'demo' });
  expect(models.defaultModel).toBe('demo');
  models.announce({ orchestrator: 'orchestrator-2', providers: [], default_model: 'openai/gpt' });
  expect(models.defaultModel).toBeUndefined();
  models.announce({ orchestrator: 'orchestrator-2', providers: [] });
  expect(models.defaultModel).toBeUndefined();
});
