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
  /** `tool_choice` binds it. */
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
