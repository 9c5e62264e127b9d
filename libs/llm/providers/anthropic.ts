import { ANTHROPIC_API } from '../anthropic/anthropic-api.js';
import { featuresOf, versionOf } from '../anthropic/model-features.js';
import { TOOL_FORMS } from '../schemas/tool-forms.js';
import type { Provider } from './provider.js';

export const ANTHROPIC = {
  ...ANTHROPIC_API,
  name: 'anthropic',
  urlVariable: 'ANTHROPIC_BASE_URL',
  // The SDK appends the version itself.
  toBaseUrl: (address) => address.replace(/\/v1$/, ''),
  modelsPath: '/v1/models',
  keyHeader: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  suggestedModel: 'claude-sonnet-5-5',
  ...TOOL_FORMS.anthropic,
  contextWindow(model) {
    const version = versionOf(model);
    if (version === undefined) return undefined;
    return version >= 500 && !model.startsWith('claude-haiku') ? 1_000_000 : 200_000;
  },
  canForceTool: (model) => featuresOf(model).forcedTools,
  async open({ apiKey, ...access }, clock) {
    const { AnthropicModel } = await import('../anthropic/anthropic-model.adapter.js');
    return new AnthropicModel({ apiKey: apiKey!, clock, ...access });
  },
} as const satisfies Provider;
