import { expect, it } from '@jest/globals';
import { providerModels } from './provider-models.js';

const key = { ANTHROPIC_API_KEY: 'sk-ant-test-0123456789' };

it('provider models are empty without any key', () => {
  expect(providerModels({})).toEqual([]);
  expect(providerModels({ MODEL: 'demo' })).toEqual([]);
});

it('a provider has the deployment’s own model, else another that it names, else the suggested one', () => {
  const modelOf = (env: object, further?: string[]) =>
    providerModels({ ...key, ...env }, further).find(({ provider }) => provider === 'anthropic')?.model;
  expect(modelOf({ MODEL: 'anthropic/claude-mine' }, ['anthropic/claude-other'])).toBe(
    'anthropic/claude-mine',
  );
  expect(modelOf({ MODEL: 'demo' }, ['anthropic', 'anthropic/claude-other'])).toBe('anthropic/claude-other');
  expect(modelOf({ MODEL: 'demo' })).toMatch(/^anthropic\/claude-/);
});
