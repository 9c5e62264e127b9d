import { KEY_VARIABLES, PROVIDERS } from '#llm';

type Environment = Record<string, string | undefined>;

/** Finds problems in the combination of model and system prompt. */
export function findModelProblems({ MODEL = 'demo', ...rest }: Environment): string[] {
  const problems: string[] = [];
  const named = PROVIDERS.find(({ name }) => MODEL.startsWith(`${name}/`) && MODEL.length > name.length + 1);
  if (MODEL !== 'demo' && !named) {
    const allowed = PROVIDERS.map(({ name }) => `${name}/<model>`);
    problems.push(`MODEL must be demo or one of ${allowed.join(', ')}`);
  }
  if (named) {
    const needed = anyOfNeeded(named);
    const isSet = needed.length === 0 || needed.some((name) => rest[name] !== undefined);
    if (!isSet) problems.push(`${needed.join(' or ')} is missing: MODEL=${named.name}/… needs it`);
  }
  if (rest.SYSTEM_PROMPT !== undefined && rest.SYSTEM_PROMPT_FILE !== undefined) {
    problems.push('SYSTEM_PROMPT and SYSTEM_PROMPT_FILE cannot be combined: set only one');
  }
  return problems;
}

export function findModelNotices({ MODEL, ...rest }: Environment): string[] {
  if (MODEL !== undefined) return [];
  const set = KEY_VARIABLES.filter((name) => rest[name] !== undefined);
  if (set.length === 0) return [];
  return [`${set.join(', ')} ${set.length > 1 ? 'are' : 'is'} set and MODEL is not: the demo model answers`];
}

/** The settings of which any one is enough. */
function anyOfNeeded({ keyVariable, urlVariable, isOpenElsewhere }: (typeof PROVIDERS)[number]): string[] {
  if (!keyVariable) return [];
  return isOpenElsewhere ? [keyVariable, urlVariable] : [keyVariable];
}
