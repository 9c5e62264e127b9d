import { PLAIN_FEATURES } from '../../libs/llm/openai/chat-features.js';
import { chatCompletions } from '../../libs/llm/providers/chat-completions.js';
import { withVersion } from '../../libs/llm/providers/provider.js';
import { toOpenAiSchema } from '../../libs/llm/schemas/openai-schema.js';

/** A service that speaks Chat Completions; in `libs/llm/providers/`, with a line in `registry.ts`, it would be one. */
export const DEEPSEEK = chatCompletions({
  name: 'deepseek',
  title: 'DeepSeek API',
  keyVariable: 'DEEPSEEK_API_KEY',
  urlVariable: 'DEEPSEEK_BASE_URL',
  publicUrl: 'https://api.deepseek.com/v1',
  toBaseUrl: withVersion,
  suggestedModel: 'deepseek-chat',
  toSchema: toOpenAiSchema,
  features: () => PLAIN_FEATURES,
});
