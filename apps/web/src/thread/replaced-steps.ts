import type { TurnView } from '#contracts';

/** By the number of a step, the text that takes the place of its own in the answer. */
export function replacedSteps({ steps }: TurnView): ReadonlyMap<number, string> {
  return new Map(steps.flatMap(({ replaces = [], text }) => replaces.map((n) => [n, text] as const)));
}
