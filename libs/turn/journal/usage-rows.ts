import type { Journal, Spent, Step, UsageRow } from '#contracts';

/** More than a turn has. */
const STEPS_PER_TURN = 1_000_000;

/** `2026-03-01`: days begin at midnight UTC for every user. */
export function dayOf(at: string | number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/**
 * The rows that a committed step adds to the sums, one for each model. They derive from the step alone, so counting a
 * step again changes nothing. Steps of a conversation are counted in order.
 */
export function usageRowsOf(turn: Pick<Journal['turn'], 'user_id'>, step: Step): UsageRow[] {
  return (step.spent ?? []).map((spent) => {
    const day = dayOf(step.at);
    const _id = `${step.conversation_id}:${day}:${spent.model}`;
    return rowOf(_id, step.turn_number * STEPS_PER_TURN + step.n, { turn, day, step, spent });
  });
}

/**
 * The usage of a step that was never committed, because another row won or its driver left. It gets a separate row to
 * which no other usage is added. `attempt` is that of the driver's claim on the turn.
 */
export function lostUsageRows(
  turn: Pick<Journal['turn'], 'user_id' | '_id' | 'conversation_id'>,
  { n, attempt, spent: all, at }: { n: number; attempt: number; spent: readonly Spent[]; at: number },
): UsageRow[] {
  const step = { conversation_id: turn.conversation_id };
  return all.map((spent) => {
    const day = dayOf(at);
    return rowOf(`${turn._id}:${n}:${attempt}:${spent.model}`, 1, { turn, day, step, spent });
  });
}

function rowOf(
  _id: string,
  counted_to: number,
  of: {
    turn: Pick<Journal['turn'], 'user_id'>;
    day: string;
    step: Pick<Step, 'conversation_id'>;
    spent: Spent;
  },
): UsageRow {
  const { model, input_tokens, output_tokens, cached_tokens, cost = 0 } = of.spent;
  const used = { input_tokens, output_tokens, cached_tokens, cost };
  const { user_id } = of.turn;
  return { _id, user_id, day: of.day, conversation_id: of.step.conversation_id, model, ...used, counted_to };
}
