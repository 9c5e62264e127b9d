import type { Journal, TurnView } from '#contracts';
import { outcomeOf, statusOf } from '#turn';
import { findFault } from '../soak/said.js';

/** What became of a turn, in words that do not depend on ids, times and attempts. */
export type Transcript = ReturnType<typeof transcriptOf>;

interface Played {
  journal: Journal;
  /** As each person holds the turn at last. */
  views: (TurnView | undefined)[];
  starts(toolCallId: string): number;
}

export function transcriptOf({ journal, views, starts }: Played) {
  const { turn, steps, outcomes } = journal;
  return {
    turn: neutral({ ...turn, derived: statusOf(journal) }),
    steps: neutral(steps),
    calls: steps.flatMap(({ calls }) =>
      calls.map(({ tool_name, class: toolClass, tool_call_id }) => ({
        tool_name,
        class: toolClass,
        outcome: neutral(outcomeOf(journal, tool_call_id)),
        starts: starts(tool_call_id),
      })),
    ),
    outcomes: outcomes.length,
    views: neutral(views),
  };
}

/** Besides ids, times and attempts: how a tool and a model are reached, which is another way in a world. */
const LEFT_OUT =
  /^(_id|.*_id|at|.*_at|duration_ms|attempt|worker|traceparent|source|model|spent|data|display_name|timeout_ms)$/;

function neutral(value: unknown): unknown {
  if (typeof value === 'string') return neutralText(value);
  if (Array.isArray(value)) return value.map(neutral);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !LEFT_OUT.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, neutral(inner)]));
}

/** The model's words say which request they answer; how many there are is drawn in a world. */
function neutralText(text: string): string {
  if (text.startsWith('r') && findFault(text, { whole: true }) === undefined) return 'one whole answer';
  return text.replaceAll(/\br\d+\.(?=\d)/g, 'r.');
}
