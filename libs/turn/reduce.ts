import type { ConversationEvent, EventOf, Snapshot, StepView, TurnView, View } from '#contracts';
import { reduceToolEvent, type ToolEvent } from './reduce-tool.js';
import { changeStep, changeTurn, isEnded } from './view-change.js';

/**
 * What an event did to a view. `applied`: the view has changed and `event` (cut of what was known already) is what
 * a viewer of the old view needs to get to the new one. `passing`: nothing to keep, but worth showing. `known`:
 * repeated, overtaken, or of an older attempt. `gap`: something before it was missed, so the store must be read
 * again; the view may have changed as far as the event allows.
 */
export type Reduced =
  | { verdict: 'applied' | 'passing'; view: View; event: ConversationEvent }
  | { verdict: 'known' | 'gap'; view: View };

export function emptyView(conversationId: string): View {
  return { conversation_id: conversationId, title: '', earlier: false, turns: [] };
}

/** The read side: a view and an event give the next view. Pure; unchanged parts keep their identity. */
export function reduce(view: View, event: ConversationEvent | Snapshot): View {
  return event.type === 'snapshot' ? event.view : reduceEvent(view, event).view;
}

/** {@link reduce} with a verdict, for who relays events to viewers. */
export function reduceEvent(view: View, event: ConversationEvent): Reduced {
  if (event.type === 'turn_queued') return reduceQueued(view, event);
  const turn = view.turns.findLast((candidate) => candidate.turn_id === event.turn_id);
  if (!turn) return { verdict: 'gap', view };
  switch (event.type) {
    case 'turn_started':
      return turn.status === 'queued'
        ? applied(changeTurn(view, turn, { status: 'running', started_at: event.timestamp }), event)
        : known(view);
    case 'step_started':
      return reduceStepStarted(view, turn, event);
    case 'step_restarted':
      return reduceStepRestarted(view, turn, event);
    case 'token':
      return reduceToken(view, turn, event);
    case 'step_committed':
      return reduceStepCommitted(view, turn, event);
    case 'thinking':
    case 'waiting':
      return isEnded(turn) ? known(view) : { verdict: 'passing', view, event };
    case 'complete':
    case 'cancelled':
    case 'error':
      return reduceEnd(view, turn, event);
    default:
      return reduceToolEvent(view, turn, event satisfies ToolEvent);
  }
}

function reduceQueued(view: View, event: EventOf<'turn_queued'>): Reduced {
  if (view.turns.some((turn) => turn.turn_id === event.turn_id)) return known(view);
  const { turn_id, number, content, by, client_message_id, timestamp } = event;
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

function reduceStepStarted(view: View, turn: TurnView, event: EventOf<'step_started'>): Reduced {
  if (isEnded(turn)) return known(view);
  const existing = turn.steps[event.step - 1];
  if (existing) {
    if (existing.committed || event.attempt <= existing.attempt) return known(view);
    return applied(changeStep(view, turn, existing, { attempt: event.attempt, text: '' }), event);
  }
  const before = turn.steps.at(-1);
  const isNext =
    turn.status !== 'queued' &&
    event.step === turn.steps.length + 1 &&
    (!before || before.committed === true);
  const isSettled =
    !before ||
    before.calls.every((call) => event.settled.some((end) => end.tool_call_id === call.tool_call_id));
  if (!isNext || !isSettled) return { verdict: 'gap', view };
  let next = view;
  for (const end of event.settled) next = reduceEvent(next, end).view;
  const current = next.turns.find((candidate) => candidate.turn_id === turn.turn_id)!;
  const step: StepView = { n: event.step, attempt: event.attempt, text: '', calls: [] };
  return applied(changeTurn(next, current, { status: 'running', steps: [...current.steps, step] }), event);
}

/** The step that an event of its stream speaks of, emptied if the event is the first of a higher attempt. */
function stepOfStream(
  view: View,
  turn: TurnView,
  event: { step: number; attempt: number },
): { view: View; turn: TurnView; step: StepView; restarted: boolean } | 'known' | 'gap' {
  const step = turn.steps[event.step - 1];
  if (!step) return isEnded(turn) ? 'known' : 'gap';
  if (step.committed || isEnded(turn) || event.attempt < step.attempt) return 'known';
  if (event.attempt === step.attempt) return { view, turn, step, restarted: false };
  const emptied = changeStep(view, turn, step, { attempt: event.attempt, text: '' });
  const changed = emptied.turns.find((candidate) => candidate.turn_id === turn.turn_id)!;
  return { view: emptied, turn: changed, step: changed.steps[event.step - 1]!, restarted: true };
}

function reduceStepRestarted(view: View, turn: TurnView, event: EventOf<'step_restarted'>): Reduced {
  const found = stepOfStream(view, turn, event);
  if (typeof found === 'string') return { verdict: found, view };
  return found.restarted ? applied(found.view, event) : known(view);
}

function reduceToken(view: View, turn: TurnView, event: EventOf<'token'>): Reduced {
  const found = stepOfStream(view, turn, event);
  if (typeof found === 'string') return { verdict: found, view };
  const { step } = found;
  const overlap = step.text.length - event.offset;
  if (overlap < 0) return { verdict: 'gap', view: found.view };
  if (overlap >= event.content.length) return known(found.view);
  const content = overlap === 0 ? event.content : event.content.slice(overlap);
  const next = changeStep(found.view, found.turn, step, { text: step.text + content });
  return applied(next, overlap === 0 ? event : { ...event, content, offset: step.text.length });
}

function reduceStepCommitted(view: View, turn: TurnView, event: EventOf<'step_committed'>): Reduced {
  const step = turn.steps[event.step - 1];
  if (!step) return { verdict: isEnded(turn) ? 'known' : 'gap', view };
  if (step.committed) return known(view);
  if (step.attempt !== event.attempt || step.text.length !== event.text_length)
    return { verdict: 'gap', view };
  const calls = event.calls.map((call) => {
    const seen = step.calls.find((candidate) => candidate.tool_call_id === call.tool_call_id);
    return seen
      ? { ...call, ...seen, args: call.args, toolset: call.toolset, display_name: call.display_name }
      : call;
  });
  return applied(changeStep(view, turn, step, { committed: true, calls }), event);
}

function reduceEnd(view: View, turn: TurnView, event: EventOf<'complete' | 'cancelled' | 'error'>): Reduced {
  if (isEnded(turn)) return known(view);
  const ended_at = event.timestamp;
  if (event.type !== 'complete') {
    // The partial text that the row keeps was announced by its own step_committed; anything else is not in the journal.
    const steps = turn.steps.filter((step) => step.committed);
    if (event.type === 'cancelled')
      return applied(changeTurn(view, turn, { status: 'cancelled', ended_at, steps }), event);
    const error = { code: event.code, message: event.message };
    return applied(changeTurn(view, turn, { status: 'failed', ended_at, error, steps }), event);
  }
  const { message_id, usage } = event;
  const last = turn.steps.at(-1);
  const isWhole =
    last?.committed === true && message_id === `${turn.turn_id}:${last.n}` && last.text === event.content;
  if (!isWhole) return { verdict: 'gap', view };
  return applied(changeTurn(view, turn, { status: 'completed', ended_at, message_id, usage }), event);
}

function applied(view: View, event: ConversationEvent): Reduced {
  return { verdict: 'applied', view, event };
}

function known(view: View): Reduced {
  return { verdict: 'known', view };
}
