import type {
  CallView,
  ConversationEvent,
  EventOf,
  Snapshot,
  StepView,
  ToolEnd,
  TurnView,
  View,
} from '#contracts';
import { reduceToolEvent } from './reduce-tool.js';
import type { Reduced } from './reduced.js';
import { changeCalls, changeStep, changeTurn, hasEnded, isEnded } from './view-change.js';
import { cutArgs } from './view-limits.js';

export function emptyView(conversationId: string): View {
  return { conversation_id: conversationId, title: '', earlier: false, turns: [] };
}

/** The read side: a view and an event give the next view. Pure; unchanged parts keep their identity. */
export function reduce(view: View, event: ConversationEvent | Snapshot): View {
  return event.type === 'snapshot' ? event.view : reduceEvent(view, event).view;
}

/** {@link reduce} with a verdict, for code that relays events to viewers. */
export function reduceEvent(view: View, event: ConversationEvent): Reduced {
  if (event.type === 'turn_queued') return reduceQueued(view, event);
  const turn = turnOf(view, event.turn_id);
  if (!turn) return gap(view);
  if ('tool_call_id' in event) return reduceToolEvent(view, turn, event);
  switch (event.type) {
    case 'turn_started':
      return reduceStarted(view, turn, event);
    case 'step_started':
      return reduceStepStarted(view, turn, event);
    case 'step_restarted':
      return reduceStepRestarted(view, turn, event);
    case 'token':
      return reduceToken(view, turn, event);
    case 'step_committed':
      return reduceStepCommitted(view, turn, event);
    case 'thinking':
      return isOvertaken(turn, event) ? known(view) : { verdict: 'passing', view, event };
    case 'waiting':
      return isEnded(turn) ? known(view) : { verdict: 'passing', view, event };
    case 'complete':
    case 'cancelled':
    case 'error':
      return reduceEnd(view, turn, event);
  }
}

function reduceQueued(view: View, event: EventOf<'turn_queued'>): Reduced {
  const { turn_id, number, content, by, client_message_id, timestamp } = event;
  const first = view.turns[0]?.number ?? 0;
  if (turnOf(view, turn_id) || (view.earlier && number < first)) return known(view);
  const turn: TurnView = {
    turn_id,
    number,
    content,
    by,
    client_message_id,
    status: 'queued',
    at: timestamp,
    steps: [],
  };
  const turns = [...view.turns, turn].sort((a, b) => a.number - b.number);
  return applied({ ...view, turns }, event);
}

function reduceStarted(view: View, turn: TurnView, event: EventOf<'turn_started'>): Reduced {
  if (turn.started_at !== undefined) return known(view);
  // The gateway stopped the turn first. Relaying the start of an ended turn would mislead, so the store is read.
  if (isEnded(turn)) return gap(view);
  return applied(changeTurn(view, turn, { status: 'running', started_at: event.timestamp }), event);
}

function reduceStepStarted(view: View, turn: TurnView, event: EventOf<'step_started'>): Reduced {
  if (isEnded(turn)) return known(view);
  const { attempt, step: n } = event;
  const settled = withEnds(view, turn, event.settled);
  const existing = settled.turn.steps[n - 1];
  if (existing) {
    if (!existing.committed && attempt > existing.attempt)
      return applied(changeStep(settled.view, settled.turn, existing, { attempt, text: '' }), event);
    return settled.view === view ? known(view) : applied(settled.view, event);
  }
  const before = settled.turn.steps.at(-1);
  const isNext = turn.status !== 'queued' && n === turn.steps.length + 1;
  const isBeforeDone = !before || (before.committed === true && before.calls.every(hasEnded));
  if (!isNext || !isBeforeDone) return gap(view);
  const steps: StepView[] = [...settled.turn.steps, { n, attempt, text: '', calls: [] }];
  return applied(changeTurn(settled.view, settled.turn, { status: 'running', steps }), event);
}

function withEnds(view: View, turn: TurnView, ends: ToolEnd[]): { view: View; turn: TurnView } {
  let next = { view, turn };
  for (const end of ends) {
    const reduced = reduceToolEvent(next.view, next.turn, end);
    if (reduced.verdict === 'applied')
      next = { view: reduced.view, turn: turnOf(reduced.view, turn.turn_id) ?? turn };
  }
  return next;
}

interface Found {
  view: View;
  turn: TurnView;
  step: StepView;
  restarted: boolean;
}

/** The step to which a stream event belongs, emptied if the event is the first of a higher attempt. */
function stepOfStream(
  view: View,
  turn: TurnView,
  event: { step: number; attempt: number },
): Found | 'known' | 'gap' {
  if (isOvertaken(turn, event)) return 'known';
  const step = turn.steps[event.step - 1];
  if (!step) return 'gap';
  if (event.attempt === step.attempt) return { view, turn, step, restarted: false };
  const emptied = changeStep(view, turn, step, { attempt: event.attempt, text: '' });
  const changed = turnOf(emptied, turn.turn_id)!;
  return { view: emptied, turn: changed, step: changed.steps[event.step - 1]!, restarted: true };
}

/** The turn or the step is over, or a later attempt has begun. */
function isOvertaken(turn: TurnView, event: { step: number; attempt: number }): boolean {
  const step = turn.steps[event.step - 1];
  return isEnded(turn) || (step !== undefined && (step.committed === true || event.attempt < step.attempt));
}

function reduceStepRestarted(view: View, turn: TurnView, event: EventOf<'step_restarted'>): Reduced {
  const found = stepOfStream(view, turn, event);
  if (typeof found === 'string') return { verdict: found, view };
  return found.restarted ? applied(found.view, event) : known(view);
}

function reduceToken(view: View, turn: TurnView, event: EventOf<'token'>): Reduced {
  const found = stepOfStream(view, turn, event);
  if (typeof found === 'string') return { verdict: found, view };
  const { step, restarted } = found;
  const overlap = step.text.length - event.offset;
  if (overlap < 0) return gap(view);
  if (overlap >= event.content.length) return restarted ? applied(found.view, event) : known(view);
  const content = overlap === 0 ? event.content : event.content.slice(overlap);
  const next = changeStep(found.view, found.turn, step, { text: step.text + content });
  return applied(next, overlap === 0 ? event : { ...event, content, offset: step.text.length });
}

function reduceStepCommitted(view: View, turn: TurnView, event: EventOf<'step_committed'>): Reduced {
  const step = turn.steps[event.step - 1];
  if (!step) return gap(view);
  if (step.committed) return known(view);
  if (step.attempt !== event.attempt || step.text.length !== event.text_length) return gap(view);
  const calls = event.calls.map((call) =>
    committedCall(
      call,
      step.calls.find((seen) => seen.tool_call_id === call.tool_call_id),
    ),
  );
  const { summary, replaces } = event;
  const more = { ...(summary === undefined ? {} : { summary }), ...(replaces ? { replaces } : {}) };
  const committed = { committed: true, calls, ...more };
  return applied(changeCalls(view, turn, step, committed), event);
}

/**
 * Merges a call whose worker's events came before its row: the events know more of its life, the row knows its names.
 */
function committedCall(call: CallView, seen: CallView | undefined): CallView {
  if (!seen) return call;
  const { display_name, source, toolset } = call;
  const { args, truncated } = call.truncated ? { args: call.args, truncated: true } : cutArgs(call.args);
  return { ...seen, display_name, source, toolset, args, ...(truncated ? { truncated } : {}) };
}

function reduceEnd(view: View, turn: TurnView, event: EventOf<'complete' | 'cancelled' | 'error'>): Reduced {
  if (isEnded(turn)) return known(view);
  if (event.type === 'complete') return reduceComplete(view, turn, event);
  // Calls belong to committed steps only, so the step's row has data that the view lacks.
  if (turn.steps.some((step) => !step.committed && step.calls.length > 0)) return gap(view);
  // The row's own `step_committed` announced the partial text that it keeps; any other partial text is not in the
  // journal.
  const steps = turn.steps.filter((step) => step.committed);
  if (event.steps !== undefined && event.steps !== steps.length) return gap(view);
  const ended = { ended_at: event.timestamp, steps };
  if (event.type === 'cancelled')
    return applied(changeTurn(view, turn, { ...ended, status: 'cancelled' }), event);
  const error = { code: event.code, message: event.message };
  return applied(changeTurn(view, turn, { ...ended, status: 'failed', error }), event);
}

function reduceComplete(view: View, turn: TurnView, event: EventOf<'complete'>): Reduced {
  const { message_id, usage, stop_reason, timestamp: ended_at } = event;
  const last = turn.steps.at(-1);
  const isWhole =
    last?.committed === true && message_id === `${turn.turn_id}:${last.n}` && last.text === event.content;
  if (!isWhole) return gap(view);
  const ended = {
    status: 'completed' as const,
    ended_at,
    message_id,
    usage,
    ...(stop_reason && { stop_reason }),
  };
  return applied(changeTurn(view, turn, ended), event);
}

function turnOf(view: View, turnId: string): TurnView | undefined {
  return view.turns.findLast((candidate) => candidate.turn_id === turnId);
}

function applied(view: View, event: ConversationEvent): Reduced {
  return { verdict: 'applied', view, event };
}

function known(view: View): Reduced {
  return { verdict: 'known', view };
}

function gap(view: View): Reduced {
  return { verdict: 'gap', view };
}
