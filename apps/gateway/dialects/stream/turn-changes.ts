import type { CallView, EventOf, StepView, TurnView } from '#contracts';
import { hasEnded, isEnded } from '#turn';

/**
 * What became different in a turn, in the order in which a person would tell it. Every turn tells `turn_started`
 * (unless it ended before), its steps, and `turn_ended` once. Of a step: `step_started`, its text, `step_committed`,
 * then for each call one `call_started` and one `call_ended`.
 */
export type TurnChange =
  | { type: 'turn_started' }
  | { type: 'step_started'; step: number }
  /** The sent text of the step is void; what follows replaces it. */
  | { type: 'step_restarted'; step: number }
  /** Continues where the sent text of this step ended. */
  | { type: 'text'; step: number; text: string }
  /** The step's text is final, and so is the list of its calls. */
  | { type: 'step_committed'; step: StepView }
  /** Also sent for a call that never ran, directly followed by its end. */
  | { type: 'call_started'; step: number; call: CallView }
  /** A person is asked: for approval, or by the tool. */
  | { type: 'call_asks'; step: number; call: CallView }
  /** Its state says how it ended; in a stopped or failed turn, it may be a call that has not ended. */
  | { type: 'call_ended'; step: number; call: CallView }
  | { type: 'turn_ended'; turn: TurnView };

/** The text that one event has added to a step. */
export type AddedText = Pick<EventOf<'token'>, 'step' | 'offset' | 'content'>;

interface SentStep {
  attempt: number;
  text: string;
  isCommitted: boolean;
  calls: Map<string, SentCall>;
}

interface SentCall {
  isStarted: boolean;
  isEnded: boolean;
  /** The number of the question that was sent, 0 for an approval. */
  asked?: number;
}

/**
 * Compares a turn with what has been sent of it. A snapshot instead of lost events makes no difference, so a writer
 * of changes on a wire needs to know no events.
 */
export class TurnChanges {
  private readonly steps = new Map<number, SentStep>();
  private isStarted = false;
  private isEnded = false;

  /**
   * `added`, if one event made the difference: its addition to a long text is sent without comparing the whole text.
   */
  next(turn: TurnView, added?: AddedText): TurnChange[] {
    if (this.isEnded) return [];
    const changes: TurnChange[] = [];
    if (!this.isStarted && turn.status !== 'queued' && (turn.started_at !== undefined || !isEnded(turn))) {
      this.isStarted = true;
      changes.push({ type: 'turn_started' });
    }
    for (const step of turn.steps) changes.push(...this.nextOfStep(step, added));
    if (!isEnded(turn)) return changes;
    this.isEnded = true;
    for (const step of turn.steps) changes.push(...this.leave(step));
    return [...changes, { type: 'turn_ended', turn }];
  }

  private nextOfStep(step: StepView, added?: AddedText): TurnChange[] {
    const { n, attempt } = step;
    const changes: TurnChange[] = [];
    if (!this.steps.has(n)) {
      this.steps.set(n, { attempt, text: '', isCommitted: false, calls: new Map() });
      changes.push({ type: 'step_started', step: n });
    }
    const told = this.steps.get(n)!;
    if (told.isCommitted) return [...changes, ...nextOfCalls(step, told)];
    if (!isContinuation(step, told)) {
      told.text = '';
      changes.push({ type: 'step_restarted', step: n });
    }
    if (step.text.length > told.text.length)
      changes.push({ type: 'text', step: n, text: restOf(step, told.text.length, added) });
    told.attempt = attempt;
    told.text = step.text;
    // A worker may be faster than the news of the step that asks for its call.
    if (!step.committed) return changes;
    told.isCommitted = true;
    return [...changes, { type: 'step_committed', step }, ...nextOfCalls(step, told)];
  }

  /** The turn is over: changes of its calls that were not sent yet are sent as they are. */
  private leave(step: StepView): TurnChange[] {
    const told = this.steps.get(step.n)!;
    if (!told.isCommitted) return [];
    return step.calls
      .filter((call) => !sentCallOf(told, call).isEnded)
      .flatMap((call) => [
        ...start(step.n, call, sentCallOf(told, call)),
        end(step.n, call, sentCallOf(told, call)),
      ]);
  }
}

/** Within an attempt, a text only grows. Comparing all of it with each token would cost more and more. */
function isContinuation(step: StepView, told: SentStep): boolean {
  if (step.attempt === told.attempt && !step.committed) return step.text.length >= told.text.length;
  return step.text.startsWith(told.text);
}

function restOf({ n, text }: StepView, toldLength: number, added: AddedText | undefined): string {
  const isAll = added?.step === n && added.offset === toldLength;
  return isAll ? added.content : text.slice(toldLength);
}

function nextOfCalls(step: StepView, told: SentStep): TurnChange[] {
  const fresh = step.calls.filter((call) => !sentCallOf(told, call).isEnded);
  const started = fresh.filter(({ state }) => state !== 'queued' && state !== 'awaiting_approval');
  const ended = fresh.filter(hasEnded).sort(byEnd);
  return [
    ...started.flatMap((call) => start(step.n, call, sentCallOf(told, call))),
    ...fresh.flatMap((call) => ask(step.n, call, sentCallOf(told, call))),
    ...ended.map((call) => end(step.n, call, sentCallOf(told, call))),
  ];
}

function sentCallOf(step: SentStep, { tool_call_id }: CallView): SentCall {
  const told = step.calls.get(tool_call_id) ?? { isStarted: false, isEnded: false };
  step.calls.set(tool_call_id, told);
  return told;
}

function start(step: number, call: CallView, told: SentCall): TurnChange[] {
  if (told.isStarted) return [];
  told.isStarted = true;
  return [{ type: 'call_started', step, call }];
}

function ask(step: number, call: CallView, told: SentCall): TurnChange[] {
  if (call.state !== 'awaiting_approval' && call.state !== 'awaiting_input') return [];
  const number = call.state === 'awaiting_input' ? (call.question?.number ?? 1) : 0;
  if (told.asked === number) return [];
  told.asked = number;
  return [{ type: 'call_asks', step, call }];
}

function end(step: number, call: CallView, told: SentCall): TurnChange {
  told.isEnded = true;
  return { type: 'call_ended', step, call };
}

function byEnd(a: CallView, b: CallView): number {
  const [first, second] = [a.ended_at ?? '', b.ended_at ?? ''];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
