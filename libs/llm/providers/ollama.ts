import { PLAIN_FEATURES } from '../openai/chat-features.js';
import { TOOL_FORMS } from '../schemas/tool-forms.js';
import { chatCompletions } from './chat-completions.js';
import { withVersion } from './provider.js';

/** Has no fixed window: it depends on how the server was started. */
export const OLLAMA = chatCompletions({
  name: 'ollama',
  title: 'Ollama server',
  urlVariable: 'OLLAMA_BASE_URL',
  publicUrl: 'http://127.0.0.1:11434/v1',
  toBaseUrl: withVersion,
  suggestedModel: 'qwen3',
  ...TOOL_FORMS.ollama,
  features: () => ({ ...PLAIN_FEATURES, forcedTools: false }),
});
