import type { CallView, StepView, TurnView, View } from '#contracts';
import type { PartialText } from '#turn';
import { isEnded } from '#turn';

/** True when `read`, taken from the store, contains something that a viewer of `shown` has not received. */
export function isBehind(shown: View, read: View): boolean {
  // Only a view that was cut omits older turns on purpose; any other view missed them.
  const oldest = shown.earlier ? (shown.turns[0]?.number ?? 0) : 0;
  return read.turns.some((turn) => {
    const seen = shown.turns.find((candidate) => candidate.turn_id === turn.turn_id);
    return seen ? isTurnBehind(seen, turn) : turn.number > oldest || !isEnded(turn);
  });
}

function isTurnBehind(seen: TurnView, read: TurnView): boolean {
  if (seen.status !== read.status) return true;
  return read.steps.some((step) => {
    const seenStep = seen.steps[step.n - 1];
    return !seenStep || isStepBehind(seenStep, step);
  });
}

function isStepBehind(seen: StepView, read: StepView): boolean {
  if (read.committed && (!seen.committed || seen.text !== read.text)) return true;
  if (read.attempt > seen.attempt) return !seen.committed;
  if (read.attempt === seen.attempt && read.text.length > seen.text.length) return true;
  return read.calls.some((call) => {
    const seenCall = seen.calls.find((candidate) => candidate.tool_call_id === call.tool_call_id);
    return !seenCall || isCallBehind(seenCall, call);
  });
}

function isCallBehind(seen: CallView, read: CallView): boolean {
  const isAnswerMissing = read.approval !== undefined && seen.approval === undefined;
  return seen.state !== read.state || read.attempt > seen.attempt || isAnswerMissing;
}

/** Texts of uncommitted steps that viewers have seen: a read must not take them back. */
export function partialsOf(view: View | undefined): PartialText[] {
  return (view?.turns ?? []).flatMap((turn) => {
    const step = turn.steps.at(-1);
    if (!step || step.committed || isEnded(turn)) return [];
    return [{ turn_id: turn.turn_id, step: step.n, attempt: step.attempt, text: step.text }];
  });
}

/** The later of two states of one stream: the higher step or attempt, otherwise the longer text. */
export function furtherPartial(
  a: PartialText | undefined,
  b: PartialText | undefined,
): PartialText | undefined {
  if (!a || !b) return a ?? b;
  if (a.step !== b.step) return a.step > b.step ? a : b;
  if (a.attempt !== b.attempt) return a.attempt > b.attempt ? a : b;
  return a.text.length >= b.text.length ? a : b;
}
