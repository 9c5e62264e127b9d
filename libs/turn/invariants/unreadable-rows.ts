import { answerSchema, claimSchema, outcomeSchema, stepSchema, turnSchema, type Journal } from '#contracts';
import type { Broken } from './invariants.js';

type Rows = readonly { _id: unknown }[];
interface Schema {
  safeParse(row: unknown): { success: boolean };
}

/** The rows of a journal that no version writes. Nothing can be said of a journal that has any. */
export function unreadableRows({ turn, steps, claims, outcomes, answers }: Journal): Broken[] {
  const unreadable = (rows: Rows, schema: Schema): Broken[] =>
    rows
      .filter((row) => !schema.safeParse(row).success)
      .map(({ _id }) => ({ invariant: 'readable', row: String(_id) }));
  return [
    ...unreadable([turn], turnSchema),
    ...unreadable(steps, stepSchema),
    ...unreadable(claims, claimSchema),
    ...unreadable(outcomes, outcomeSchema),
    ...unreadable(answers, answerSchema),
  ];
}
