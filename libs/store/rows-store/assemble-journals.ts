import type { Answer, Claim, Outcome, Step, Turn } from '#contracts';
import type { Journal } from '../port/store.port.js';

/** Rows of several turns, in any order. */
export interface JournalRows {
  steps: Step[];
  claims: Claim[];
  outcomes: Outcome[];
  answers: Answer[];
}

/** One journal per turn, by number; steps and claims by `n`, outcomes and answers by `_id`. */
export function assembleJournals(turns: Turn[], rows: JournalRows): Journal[] {
  const steps = groupByTurn(rows.steps);
  const claims = groupByTurn(rows.claims);
  const outcomes = groupByTurn(rows.outcomes);
  const answers = groupByTurn(rows.answers);
  return turns
    .toSorted((a, b) => a.number - b.number)
    .map((turn) => ({
      turn,
      steps: (steps.get(turn._id) ?? []).sort(byN),
      claims: (claims.get(turn._id) ?? []).sort(byN),
      outcomes: (outcomes.get(turn._id) ?? []).sort(byId),
      answers: (answers.get(turn._id) ?? []).sort(byId),
    }));
}

function groupByTurn<Row extends { turn_id: string }>(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.turn_id);
    if (group) group.push(row);
    else groups.set(row.turn_id, [row]);
  }
  return groups;
}

interface NumberedRow {
  _id: string;
  n: number;
}

function byN(a: NumberedRow, b: NumberedRow): number {
  return a.n - b.n || byId(a, b);
}

function byId(a: { _id: string }, b: { _id: string }): number {
  return a._id < b._id ? -1 : Number(a._id > b._id);
}
