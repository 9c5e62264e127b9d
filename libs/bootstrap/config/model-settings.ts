/** What `MODEL` may start with, and what must be set for it; any one of these will do. */
const PROVIDERS: Record<string, string[]> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  gemini: ['GEMINI_API_KEY'],
  ollama: [],
};
const KEYS = Object.values(PROVIDERS).flatMap((needed) => needed.slice(0, 1));

type Environment = Record<string, string | undefined>;

/** What is wrong with the model and the system prompt taken together. */
export function findModelProblems({ MODEL = 'demo', ...rest }: Environment): string[] {
  const problems: string[] = [];
  const named = Object.entries(PROVIDERS).find(
    ([provider]) => MODEL.startsWith(`${provider}/`) && MODEL.length > provider.length + 1,
  );
  if (MODEL !== 'demo' && !named) {
    const allowed = Object.keys(PROVIDERS).map((provider) => `${provider}/<model>`);
    problems.push(`MODEL must be demo or one of ${allowed.join(', ')}`);
  }
  if (named) {
    const [provider, needed] = named;
    const isSet = needed.length === 0 || needed.some((name) => rest[name] !== undefined);
    if (!isSet) problems.push(`${needed.join(' or ')} is missing: MODEL=${provider}/… needs it`);
  }
  if (rest.SYSTEM_PROMPT !== undefined && rest.SYSTEM_PROMPT_FILE !== undefined) {
    problems.push('SYSTEM_PROMPT and SYSTEM_PROMPT_FILE exclude each other: set one of them');
  }
  return problems;
}

export function findModelNotices({ MODEL, ...rest }: Environment): string[] {
  if (MODEL !== undefined) return [];
  const set = KEYS.filter((name) => rest[name] !== undefined);
  if (set.length === 0) return [];
  return [`${set.join(', ')} ${set.length > 1 ? 'are' : 'is'} set and MODEL is not: the demo model answers`];
}
