import type { ChatProvider } from './chat-provider.js';

/** What a model takes over Chat Completions, read from its name; an unknown one gets the plainest request. */
export interface ChatFeatures {
  /** The name of the limit on output. */
  outputLimit: 'max_tokens' | 'max_completion_tokens';
  /** More is refused. */
  maxOutputTokens: number;
  temperature: boolean;
  /** Together with tools it must be told not to reason: this API takes only one of the two. */
  reasonsWithoutTools: boolean;
  /** What it can be asked for instead of its usual reasoning; undefined: nothing. */
  leastEffort?: 'none' | 'low';
  /** Summaries of what it thinks come only when asked for. */
  thoughts: boolean;
  /** The first call of each step goes back with the signature that it came with. */
  signedCalls: boolean;
}

const PLAIN: ChatFeatures = {
  outputLimit: 'max_tokens',
  maxOutputTokens: Infinity,
  temperature: true,
  reasonsWithoutTools: false,
  thoughts: false,
  signedCalls: false,
};
/** OpenAI's own, also behind another address; `gpt-oss` is everybody's. */
const OPENAI_NAME = /^(?:ft:)?(?:(?:chat)?gpt-(?!oss)|o\d)/;
const GPT_VERSION = /^(?:ft:)?gpt-(\d+)(?:\.(\d+))?/;
const REASONING_NAME = /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;
const SMALL_OUTPUT = /^gpt-(?:3\.5|4(?:-|$))/;
const GEMINI_VERSION = /^gemini-(\d+)(?:\.(\d+))?/;

export function chatFeaturesOf({ name: provider }: ChatProvider, model: string): ChatFeatures {
  if (provider === 'gemini') {
    const thoughts = versionOf(GEMINI_VERSION, model) >= 2.05;
    return { ...PLAIN, thoughts, signedCalls: true };
  }
  if (provider === 'ollama' || !OPENAI_NAME.test(model)) return PLAIN;
  const reasons = isReasoningModel(model);
  const reasonsWithoutTools = reasons && versionOf(GPT_VERSION, model) >= 5.04;
  return {
    ...PLAIN,
    // The largest ones know one effort only.
    ...(reasons && !model.includes('-pro') && { leastEffort: reasonsWithoutTools ? 'none' : 'low' }),
    outputLimit: 'max_completion_tokens',
    maxOutputTokens: SMALL_OUTPUT.test(model) ? 4_096 : Infinity,
    temperature: !reasons,
    reasonsWithoutTools,
  };
}

/** Whether it is one of OpenAI's own that reason, wherever it runs. */
export function isReasoningModel(model: string): boolean {
  return OPENAI_NAME.test(model) && REASONING_NAME.test(model);
}

/** 5.4 → 5.04, 5.10 → 5.1; 0 for a name without a version. */
function versionOf(pattern: RegExp, model: string): number {
  const [, major, minor] = pattern.exec(model) ?? [];
  return Number(major ?? 0) + Number(minor ?? 0) / 100;
}
