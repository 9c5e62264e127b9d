import { PLAIN_FEATURES, versionIn } from '../openai/chat-features.js';
import { TOOL_FORMS } from '../schemas/tool-forms.js';
import { chatCompletions } from './chat-completions.js';

const VERSION = /^gemini-(\d+)(?:\.(\d+))?/;

/** Google's endpoint for clients of OpenAI's API. */
export const GEMINI = chatCompletions({
  name: 'gemini',
  title: 'Gemini API',
  keyVariable: 'GEMINI_API_KEY',
  urlVariable: 'GEMINI_BASE_URL',
  publicUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  toBaseUrl: (address) => address,
  suggestedModel: 'gemini-3.5-flash',
  ...TOOL_FORMS.gemini,
  contextWindow: (model) => (/^(models\/)?gemini-/.test(model) ? 1_048_576 : undefined),
  thoughtsInContent: true,
  features: (model) => ({
    ...PLAIN_FEATURES,
    thoughts: versionIn(model, VERSION) >= 2.05,
    signedCalls: true,
  }),
});
