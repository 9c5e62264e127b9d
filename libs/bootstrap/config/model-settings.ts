/** What `MODEL` may start with. */
const PROVIDERS = ['anthropic'];

type Environment = Record<string, string | undefined>;

/** What is wrong with the model and the system prompt taken together. */
export function findModelProblems({ MODEL = 'demo', ...rest }: Environment): string[] {
  const problems: string[] = [];
  const isNamed = PROVIDERS.some(
    (provider) => MODEL.startsWith(`${provider}/`) && MODEL.length > provider.length + 1,
  );
  if (MODEL !== 'demo' && !isNamed) {
    problems.push(
      `MODEL must be demo or one of ${PROVIDERS.map((provider) => `${provider}/<model>`).join(', ')}`,
    );
  }
  if (isNamed && MODEL.startsWith('anthropic/') && rest.ANTHROPIC_API_KEY === undefined) {
    problems.push('ANTHROPIC_API_KEY is missing: MODEL=anthropic/… needs it');
  }
  if (rest.SYSTEM_PROMPT !== undefined && rest.SYSTEM_PROMPT_FILE !== undefined) {
    problems.push('SYSTEM_PROMPT and SYSTEM_PROMPT_FILE exclude each other: set one of them');
  }
  return problems;
}

export function findModelNotices({ MODEL, ANTHROPIC_API_KEY }: Environment): string[] {
  if (ANTHROPIC_API_KEY === undefined || MODEL !== undefined) return [];
  return ['ANTHROPIC_API_KEY is set and MODEL is not: the demo model answers'];
}
