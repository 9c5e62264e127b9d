/** The features of a model over Chat Completions, derived from its name; an unknown name gets the plainest request. */
export interface ChatFeatures {
  /** The name of the limit on output. */
  outputLimit: 'max_tokens' | 'max_completion_tokens';
  /** The API refuses a higher limit. */
  maxOutputTokens: number;
  temperature: boolean;
  /** With tools, the model must be told not to reason: this API accepts only one of the two. */
  reasonsWithoutTools: boolean;
  /** The effort that replaces its usual reasoning on request; undefined: none. */
  leastEffort?: 'none' | 'low';
  /** Summaries of its thinking come only on request. */
  thoughts: boolean;
  /** The first call of each step goes back with its signature. */
  signedCalls: boolean;
  /** Whether `tool_choice` binds the model. */
  forcedTools: boolean;
}

export const PLAIN_FEATURES: ChatFeatures = {
  outputLimit: 'max_tokens',
  maxOutputTokens: Infinity,
  temperature: true,
  reasonsWithoutTools: false,
  thoughts: false,
  signedCalls: false,
  forcedTools: true,
};

/** 5.4 → 5.04, 5.10 → 5.1; 0 for a name without a version. */
export function versionIn(model: string, pattern: RegExp): number {
  const [, major, minor] = pattern.exec(model) ?? [];
  return Number(major ?? 0) + Number(minor ?? 0) / 100;
}
