import type {
  Call,
  CallView,
  Conversation,
  Journal,
  Outcome,
  Step,
  StepView,
  TurnView,
  View,
} from '#contracts';
import { plainText } from '#contracts';
import {
  answerTo,
  claimsOn,
  endingStep,
  holderOf,
  outcomeOf,
  statusOf,
  textOf,
  totalUsage,
} from './journal.js';
import { stateOf, toolsetOf } from './tool-end.js';
import { cutArgs, cutText } from './view-limits.js';

const DEFAULT_APPROVAL_MS = 7 * 24 * 3_600_000;
const MAX_SNAPSHOT_CHARACTERS = 1024 * 1024;

/** The text of the step that a driver is streaming right now. */
export interface PartialText {
  turn_id: string;
  step: number;
  attempt: number;
  text: string;
}

/** A conversation's view from its rows: what `reduce` over all its events would have given. */
export function viewOf(
  conversation: Pick<Conversation, '_id' | 'title'>,
  journals: Journal[],
  earlier: boolean,
  partials: PartialText[] = [],
): View {
  const turns = journals.map((journal) => turnViewOf(journal, partials));
  return fitting({ conversation_id: conversation._id, title: conversation.title, earlier, turns });
}

export function turnViewOf(journal: Journal, partials: PartialText[] = []): TurnView {
  const { turn } = journal;
  const status = statusOf(journal);
  const end = endingStep(journal);
  const steps = journal.steps.filter(isShown).map((step) => stepViewOf(journal, step));
  const partial = partials.find(
    (candidate) => candidate.turn_id === turn._id && candidate.step === steps.length + 1,
  );
  if (partial && !end)
    steps.push({ n: partial.step, attempt: partial.attempt, text: partial.text, calls: [] });
  const started = claimsOn(journal, turn._id)[0];
  return {
    turn_id: turn._id,
    number: turn.number,
    content: turn.content,
    by: turn.user_id,
    client_message_id: turn.client_message_id,
    status,
    at: turn.at,
    ...(started ? { started_at: started.at } : {}),
    ...(end ? { ended_at: end.at } : {}),
    ...(end?.kind === 'model' ? { message_id: end._id, usage: totalUsage(journal.steps) } : {}),
    ...(end?.error ? { error: end.error } : {}),
    steps,
  };
}

/** `cancel` and `fail` rows show only if they keep partial text. */
function isShown(step: Step): boolean {
  return step.kind === 'model' || step.kind === 'summary' || textOf(step) !== '';
}

function stepViewOf(journal: Journal, step: Step): StepView {
  const calls = step.calls.map((call) => callViewOf(journal, step, call));
  return { n: step.n, attempt: step.attempt, text: textOf(step), committed: true, calls };
}

/** A call as a view shows it, from the rows. */
export function callViewOf(journal: Journal, step: Step, call: Call): CallView {
  const outcome = outcomeOf(journal, call.tool_call_id);
  const approving = isAwaitingApproval(journal, call) && !outcome;
  const { args, truncated } = approving
    ? { args: call.arguments, truncated: false }
    : cutArgs(call.arguments);
  const view: CallView = {
    tool_call_id: call.tool_call_id,
    tool_name: call.tool_name,
    display_name: call.display_name,
    source: call.source,
    toolset: toolsetOf(call.tool_name),
    state: approving ? 'awaiting_approval' : 'queued',
    attempt: 0,
    args,
    ...(truncated ? { truncated } : {}),
    ...(approving ? { expires_at: approvalExpiry(step) } : {}),
  };
  const holder = holderOf(journal, call.tool_call_id);
  if (holder?.purpose === 'run')
    Object.assign(view, { state: 'running', attempt: holder.n, started_at: holder.at });
  const question = answerTo(journal, call.tool_call_id, 'question')?.question;
  if (question && !answerTo(journal, call.tool_call_id, 'input')) {
    const { message, schema, expires_at } = question;
    Object.assign(view, { state: 'awaiting_input', question: { message, schema }, expires_at });
  }
  return outcome ? endedCallView(view, outcome) : view;
}

function endedCallView(call: CallView, outcome: Outcome): CallView {
  const { attempt, worker, duration_ms, at } = outcome;
  const { question: _question, expires_at: _expires, ...rest } = call;
  const end = { ...rest, state: stateOf(outcome), attempt, worker, duration_ms, ended_at: at };
  if (outcome.status === 'failure') {
    const { error_type, error_message, error_details } = outcome.error!;
    return {
      ...end,
      error: { error_type, error_message, ...(error_details == null ? {} : { error_details }) },
    };
  }
  const { text, truncated } = cutText(plainText(outcome));
  return { ...end, result: text, ...(truncated ? { truncated } : {}) };
}

function isAwaitingApproval(journal: Journal, call: Call): boolean {
  return call.approval === 'required' && !answerTo(journal, call.tool_call_id, 'approval');
}

/** An approval that nobody gave expires then (ISO 8601). */
export function approvalExpiry(step: Step): string {
  return new Date(Date.parse(step.at) + DEFAULT_APPROVAL_MS).toISOString();
}

/** At most 1 MiB: the oldest ended turns go first. */
function fitting(view: View): View {
  let size = JSON.stringify(view).length;
  if (size <= MAX_SNAPSHOT_CHARACTERS) return view;
  const turns = view.turns.slice();
  while (turns.length > 1 && size > MAX_SNAPSHOT_CHARACTERS) size -= JSON.stringify(turns.shift()).length;
  return { ...view, turns, earlier: true };
}
