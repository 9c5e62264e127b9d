import { isEndedStatus, type CallView, type StepView, type TurnView, type View } from '#contracts';

export function isEnded(turn: TurnView): boolean {
  return isEndedStatus(turn.status);
}

export function changeTurn(view: View, turn: TurnView, change: Partial<TurnView>): View {
  return { ...view, turns: replaced(view.turns, turn, { ...turn, ...change }) };
}

export function changeStep(view: View, turn: TurnView, step: StepView, change: Partial<StepView>): View {
  return changeTurn(view, turn, { steps: replaced(turn.steps, step, { ...step, ...change }) });
}

/** Changes a call and, with it, whether its turn waits for a person. */
export function changeCall(
  view: View,
  turn: TurnView,
  step: StepView,
  call: CallView,
  change: Partial<CallView>,
): View {
  return changeCalls(view, turn, step, {
    calls: replaced(step.calls, call, present({ ...call, ...change })),
  });
}

/** Changes a step and, with its calls, whether its turn waits for a person. */
export function changeCalls(
  view: View,
  turn: TurnView,
  step: StepView,
  change: Partial<StepView> & Pick<StepView, 'calls'>,
): View {
  const steps = replaced(turn.steps, step, { ...step, ...change });
  if (isEnded(turn)) return changeTurn(view, turn, { steps });
  return changeTurn(view, turn, { steps, status: isParked(change.calls) ? 'awaiting_input' : 'running' });
}

/** Optional fields of a view are absent, never undefined. */
function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/** Every call that has not ended waits for a person, and there is one. */
export function isParked(calls: CallView[]): boolean {
  const open = calls.filter((call) => !hasEnded(call));
  return (
    open.length > 0 &&
    open.every((call) => call.state === 'awaiting_approval' || call.state === 'awaiting_input')
  );
}

export function hasEnded(call: CallView): boolean {
  return (
    call.state === 'succeeded' ||
    call.state === 'failed' ||
    call.state === 'cancelled' ||
    call.state === 'unknown'
  );
}

function replaced<T>(list: T[], old: T, next: T): T[] {
  const at = list.lastIndexOf(old);
  const copy = list.slice();
  copy[at] = next;
  return copy;
}
