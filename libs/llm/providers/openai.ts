import { PLAIN_FEATURES, versionIn, type ChatFeatures } from '../openai/chat-features.js';
import { TOOL_FORMS } from '../schemas/tool-forms.js';
import { chatCompletions } from './chat-completions.js';
import { withVersion } from './provider.js';

/** OpenAI's own models, also behind another address; `gpt-oss` is an open model that any server may offer. */
const OWN_NAME = /^(?:ft:)?(?:(?:chat)?gpt-(?!oss)|o\d)/;
const GPT_VERSION = /^(?:ft:)?gpt-(\d+)(?:\.(\d+))?/;
const REASONING_NAME = /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;
const SMALL_OUTPUT = /^gpt-(?:3\.5|4(?:-|$))/;

/** As OpenAI publishes them; a family gets the smallest window of its models. First match counts. */
const WINDOWS: [name: RegExp, tokens: number][] = [
  [/^gpt-5[\w.]*-chat/, 128_000],
  // 400,000 in all, of which a request may use these.
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o|o1-(mini|preview))/, 128_000],
  [/^o[134]/, 200_000],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
];

export const OPENAI = chatCompletions({
  name: 'openai',
  title: 'OpenAI API',
  keyVariable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
  publicUrl: 'https://api.openai.com/v1',
  isOpenElsewhere: true,
  toBaseUrl: withVersion,
  suggestedModel: 'gpt-5',
  ...TOOL_FORMS.openai,
  contextWindow: (model) => WINDOWS.find(([pattern]) => pattern.test(model))?.[1],
  hidesReasoning: isReasoningModel,
  features: featuresOf,
});

function featuresOf(model: string): ChatFeatures {
  if (!OWN_NAME.test(model)) return PLAIN_FEATURES;
  const reasons = isReasoningModel(model);
  const reasonsWithoutTools = reasons && versionIn(model, GPT_VERSION) >= 5.04;
  return {
    ...PLAIN_FEATURES,
    // The largest models support one effort only.
    ...(reasons && !model.includes('-pro') && { leastEffort: reasonsWithoutTools ? 'none' : 'low' }),
    outputLimit: 'max_completion_tokens',
    maxOutputTokens: SMALL_OUTPUT.test(model) ? 4_096 : Infinity,
    temperature: !reasons,
    reasonsWithoutTools,
  };
}

/** Whether the model is one of OpenAI's own that reason, on any server. */
function isReasoningModel(model: string): boolean {
  return OWN_NAME.test(model) && REASONING_NAME.test(model);
}
