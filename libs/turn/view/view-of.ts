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
import { approvalExpiry } from '../rules/call-rules.js';
import { summaryOf } from '../transcript/compaction.js';
import { replacedBy } from '../rules/formatter-rules.js';
import {
  answerTo,
  claimsOn,
  endingStep,
  failureOf,
  holderOf,
  lastQuestion,
  openCalls,
  outcomeOf,
  statusOf,
  textOf,
  totalUsage,
} from '../journal/journal.js';
import { wholePairs } from '../transcript/cut-text.js';
import {
  artifactsOf,
  explanationField,
  explanationOf,
  errorOf,
  startOfEnded,
  stateOf,
  statusField,
  toolsetOf,
} from './tool-end.js';
import { questionView } from './question-view.js';
import { isEnded } from './view-change.js';
import { cutArgs, cutText } from './view-limits.js';

const MAX_SNAPSHOT_BYTES = 1024 * 1024;

/** The text of the step that a driver is streaming right now. */
export interface PartialText {
  turn_id: string;
  step: number;
  attempt: number;
  text: string;
}

/** A conversation's view from its rows: the same as `reduce` over all its events. */
export function viewOf(
  conversation: Pick<Conversation, '_id' | 'title'>,
  journals: Journal[],
  earlier: boolean,
  partials: PartialText[] = [],
): View {
  const turns = journals.map((journal) => turnViewOf(journal, partials));
  return fittingView({ conversation_id: conversation._id, title: conversation.title, earlier, turns });
}

export function turnViewOf(journal: Journal, partials: PartialText[] = []): TurnView {
  const { turn } = journal;
  const status = statusOf(journal);
  const end = endingStep(journal);
  const steps = shownSteps(journal).map((step) => stepViewOf(journal, step));
  const partial = end ? undefined : partialOf(journal, partials);
  if (partial)
    steps.push({ n: partial.step, attempt: partial.attempt, text: wholePairs(partial.text), calls: [] });
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
    ...(end?.kind === 'model'
      ? { message_id: end._id, usage: totalUsage(journal.steps), ...earlyStopOf(end) }
      : {}),
    ...(end?.kind === 'fail' ? { error: failureOf(end) } : {}),
    steps,
  };
}

/** Why the model stopped before its answer was complete. */
export function earlyStopOf({ stop_reason }: Step): Pick<TurnView, 'stop_reason'> {
  return stop_reason === null || stop_reason === 'end_turn' ? {} : { stop_reason };
}

/**
 * No text is streamed while a call is open: such a partial text belongs to a step that these rows do not lead to yet.
 */
function partialOf(journal: Journal, partials: PartialText[]): PartialText | undefined {
  if (openCalls(journal).length > 0) return undefined;
  const next = journal.steps.length + 1;
  return partials.find((partial) => partial.turn_id === journal.turn._id && partial.step === next);
}

export function isShownStep(step: Step): boolean {
  return step.kind === 'model' || step.kind === 'summary' || textOf(step) !== '';
}

/** The rows that a view shows as steps: `cancel` and `fail` only if they keep partial text. */
export function shownSteps(journal: Pick<Journal, 'steps'>): Step[] {
  return journal.steps.filter(isShownStep);
}

function stepViewOf(journal: Journal, step: Step): StepView {
  const calls = step.calls.map((call) => callViewOf(journal, step, call));
  const { n, attempt } = step;
  return { n, attempt, ...shownTextOf(step, journal.steps), committed: true, calls };
}

/**
 * The shown text of one of these steps. A summary is written for the model: it is no part of the answer, but people may
 * read it.
 */
export function shownTextOf(
  step: Step,
  steps: readonly Step[],
): Pick<StepView, 'text' | 'summary' | 'replaces'> {
  const summary = summaryOf(step);
  if (summary !== undefined) return { text: '', summary };
  const replaces = replacedBy(step, steps);
  return { text: textOf(step), ...(replaces.length > 0 ? { replaces } : {}) };
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
    ...(approving ? { expires_at: approvalExpiry(step, call) } : {}),
    ...(approving && call.approvers ? { approvers: call.approvers } : {}),
    ...approvalOf(journal, call),
  };
  const holder = holderOf(journal, call.tool_call_id);
  if (holder?.purpose === 'run')
    Object.assign(view, { state: 'running', attempt: holder.n, started_at: holder.at });
  const asked = lastQuestion(journal, call.tool_call_id);
  if (asked) {
    const { expires_at } = asked.question;
    view.question = questionView(asked.number, asked.question);
    if (!asked.input) Object.assign(view, { state: 'awaiting_input', expires_at });
  }
  return outcome ? endedCallView(view, outcome) : view;
}

function endedCallView(call: CallView, outcome: Outcome): CallView {
  const { attempt, worker, duration_ms, at: ended_at } = outcome;
  const { question: _question, expires_at: _expires, started_at: _started, ...rest } = call;
  const started_at = startOfEnded({ attempt, duration_ms, ended_at });
  const end = {
    ...rest,
    state: stateOf(outcome),
    attempt,
    worker,
    duration_ms,
    ended_at,
    ...(started_at === undefined ? {} : { started_at }),
    ...explanationField(explanationOf(outcome)),
    ...artifactsOf(outcome),
  };
  if (outcome.status === 'failure') {
    const { error_type, error_message, error_details } = errorOf(outcome);
    return {
      ...end,
      error: { error_type, error_message, ...(error_details == null ? {} : { error_details }) },
    };
  }
  const { text, truncated } = cutText(plainText(outcome));
  return { ...end, result: text, ...statusField(outcome.status), ...(truncated ? { truncated } : {}) };
}

function approvalOf(journal: Journal, call: Call): Pick<CallView, 'approval'> {
  const { decision, by } = answerTo(journal, call.tool_call_id, 'approval') ?? {};
  return decision === undefined || by === undefined ? {} : { approval: { decision, by } };
}

function isAwaitingApproval(journal: Journal, call: Call): boolean {
  return call.approval === 'required' && !answerTo(journal, call.tool_call_id, 'approval');
}

/**
 * Limits a view to 1 MiB. Ended turns are dropped first, oldest first, then waiting ones from the end; the active turn
 * always stays.
 */
export function fittingView(view: View): View {
  let size = bytesOf(view);
  if (size <= MAX_SNAPSHOT_BYTES) return view;
  const ended = view.turns.filter(isEnded);
  const waiting = view.turns.filter((turn) => !isEnded(turn)).reverse();
  const dropped = new Set<TurnView>();
  for (const turn of [...ended, ...waiting].slice(0, -1)) {
    if (size <= MAX_SNAPSHOT_BYTES) break;
    dropped.add(turn);
    size -= bytesOf(turn);
  }
  return { ...view, turns: view.turns.filter((turn) => !dropped.has(turn)), earlier: true };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
