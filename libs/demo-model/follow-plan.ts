import { describeCall, describeIntentions, describeOutcome } from './describe-calls.js';
import { argumentsOf, type Plan, type PlannedCall } from './plan-calls.js';
import type { Operand } from './parse-arithmetic.js';
import { readNumber } from './read-number.js';
import type { ToolAnswer } from './read-turn.js';
import { say, type Reply } from './reply.js';

/** Most calls of one step; the rest follows in the next. */
const MAX_PARALLEL = 16;

/** The next calls of the plan, or, when nothing is left to call, the answer made from the results. */
export function followPlan(plan: Plan, rounds: ToolAnswer[][]): Reply {
  const ends = new Map<number, ToolAnswer>();
  for (const round of rounds) {
    for (const [position, index] of readyCalls(plan, ends).entries()) {
      const answer = round[position];
      if (answer) ends.set(index, answer);
    }
  }
  const ready = readyCalls(plan, ends);
  const valueOf = (operand: Operand) => operandValue(operand, ends);
  if (ready.length === 0) return say(answerFrom(plan, ends, valueOf));
  const calls = ready.map((index) => plan.calls[index]!);
  const notes = rounds.length === 0 ? plan.notes : [];
  return {
    text: [...notes, describeIntentions(calls, valueOf, rounds.length > 0)].join('\n\n'),
    calls: calls.map((call) => ({ name: call.tool.name, arguments: argumentsOf(call, valueOf) })),
  };
}

/** Not yet called, and everything they wait for has succeeded. */
function readyCalls({ calls }: Plan, ends: Map<number, ToolAnswer>): number[] {
  const isReady = (call: PlannedCall, index: number) =>
    !ends.has(index) && call.after.every((before) => ends.has(before) && !hasFailed(calls, before, ends));
  return calls.flatMap((call, index) => (isReady(call, index) ? [index] : [])).slice(0, MAX_PARALLEL);
}

/** A sum without a number in its result is as bad as an error to whoever builds on it. */
function hasFailed(calls: PlannedCall[], index: number, ends: Map<number, ToolAnswer>): boolean {
  const end = ends.get(index)!;
  return end.isError || (calls[index]!.kind === 'arithmetic' && readNumber(end.text) === undefined);
}

function operandValue(operand: Operand, ends: Map<number, ToolAnswer>): number {
  if ('value' in operand) return operand.value;
  return readNumber(ends.get(operand.operation)?.text ?? '') ?? NaN;
}

function answerFrom(
  plan: Plan,
  ends: Map<number, ToolAnswer>,
  valueOf: (operand: Operand) => number,
): string {
  const parts: string[] = [];
  for (const [index, call] of plan.calls.entries()) {
    const end = ends.get(index);
    parts.push(
      end
        ? describeOutcome(call, end, valueOf)
        : `I did not go on to ${describeCall(call, valueOf)}, because what it builds on failed.`,
    );
  }
  return parts.join('\n\n');
}
