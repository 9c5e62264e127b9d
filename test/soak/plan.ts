import type { Random } from './random.js';

/** Calls of `asked` act once, and wait for a person. */
export const TOOLS = ['read', 'repeat', 'keyed', 'once', 'asked'] as const;

export interface PlannedCall {
  tool: string;
  takesMs: number;
}

/** What a message asks the model for: for each step its calls, then an answer. */
export interface Plan {
  name: string;
  steps: PlannedCall[][];
}

const MARK = 'soak plan ';

/** One to three steps with one to four calls each; now and then only an answer, now and then a slow tool. */
export function makePlan(name: string, random: Random, tools: readonly string[] = TOOLS): Plan {
  const steps = Array.from({ length: random.chance(0.1) ? 0 : random.integer(1, 3) }, () =>
    Array.from({ length: random.integer(1, 4) }, () => ({
      tool: random.pick(tools),
      takesMs: random.chance(0.1) ? random.integer(2_000, 6_000) : random.integer(0, 900),
    })),
  );
  return { name, steps };
}

export function contentOf(plan: Plan): string {
  return MARK + JSON.stringify(plan);
}

/** The last plan that the messages contain, and how many steps of it the model has taken. */
export function findPlan(
  messages: readonly Record<string, unknown>[],
): { plan: Plan; stepsTaken: number } | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    if (messages[at]!.role !== 'user') continue;
    const text = textsOf(messages[at]!.content).findLast((candidate) => candidate.includes(MARK));
    if (text === undefined) continue;
    const plan = JSON.parse(text.slice(text.lastIndexOf(MARK) + MARK.length)) as Plan;
    return { plan, stepsTaken: messages.slice(at).filter(({ role }) => role === 'assistant').length };
  }
  return undefined;
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return (content as Record<string, unknown>[]).flatMap(({ type, text }) =>
    type === 'text' ? [String(text)] : [],
  );
}
