/** The features of a Claude model, derived from its name; an unknown name gets the plainest request. */
export interface ModelFeatures {
  /** Claude 4.7 and later refuse sampling parameters. */
  temperature: boolean;
  /** Claude 5 thinks by default, and hides the text unless asked for a summary. */
  thinking: boolean;
  /** From Claude 5.1 on, a thinking block is bound to the content before it. */
  boundThinking: boolean;
  /** A model that always thinks cannot be forced to call a tool. */
  forcedTools: boolean;
}

/** `claude-opus-5-5`, `claude-haiku-4-5-20251001`; a date is not a minor version. */
const CURRENT_NAME = /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?![\d])/;
const ALWAYS_THINKING = /^claude-(fable|mythos)-/;
const OLD_NAME = /^claude-(\d)(?:-(\d))?-[a-z]+/;

export function featuresOf(model: string): ModelFeatures {
  const version = versionOf(model) ?? 0;
  return {
    temperature: version < 407,
    thinking: version >= 500,
    boundThinking: version >= 501,
    forcedTools: !ALWAYS_THINKING.test(model),
  };
}

/** `claude-opus-4-7` → 407; undefined for an unknown name. */
export function versionOf(model: string): number | undefined {
  const match = CURRENT_NAME.exec(model) ?? OLD_NAME.exec(model);
  return match ? Number(match[1]) * 100 + Number(match[2] ?? 0) : undefined;
}
