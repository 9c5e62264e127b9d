import type { CallView, ConversationEvent, EventOf, StepView, ToolEnd, TurnView, View } from '#contracts';
import { questionView } from './question-view.js';
import { cutArgs, cutText } from './view-limits.js';
import {
  artifactsOf,
  explanationField,
  startOfEnded,
  stateOfError,
  statusField,
  toolsetOf,
} from './tool-end.js';
import { changeCall, changeStep, hasEnded, isEnded } from './view-change.js';
import type { Reduced } from './reduced.js';

export type ToolEvent = EventOf<
  | 'tool_queued'
  | 'tool_start'
  | 'tool_progress'
  | 'tool_complete'
  | 'tool_error'
  | 'approval_required'
  | 'approval_answered'
  | 'input_required'
  | 'input_answered'
>;

/**
 * Applies an event of one call. Workers and orchestrators publish separately, so events may come in any order; states
 * only move forward.
 */
export function reduceToolEvent(view: View, turn: TurnView, event: ToolEvent): Reduced {
  const found = findCall(turn, event.tool_call_id);
  if (!found) return reduceUnknownCall(view, turn, event);
  const { step, call } = found;
  if (event.type === 'approval_answered') return reduceApproval(view, turn, found, event);
  if (hasEnded(call)) return { verdict: 'known', view };
  const change = changeOf(call, event);
  if (change === 'known' || change === 'gap') return { verdict: change, view };
  const relayed = 'display_name' in event ? { ...event, display_name: call.display_name } : event;
  if (change === 'passing') return { verdict: 'passing', view, event: relayed };
  return { verdict: 'applied', view: changeCall(view, turn, step, call, change), event: relayed };
}

/** A worker's event may overtake the `step_committed` that announces its call. */
function reduceUnknownCall(view: View, turn: TurnView, event: ToolEvent): Reduced {
  const step = 'step' in event ? turn.steps[event.step - 1] : undefined;
  if (!step || step.committed || isEnded(turn)) return { verdict: 'gap', view };
  if (event.type !== 'tool_start' && event.type !== 'tool_complete' && event.type !== 'tool_error')
    return { verdict: 'gap', view };
  const call = callOf(event);
  return { verdict: 'applied', view: changeStep(view, turn, step, { calls: [...step.calls, call] }), event };
}

function findCall(turn: TurnView, toolCallId: string): { step: StepView; call: CallView } | undefined {
  for (const step of turn.steps.toReversed()) {
    const call = step.calls.find((candidate) => candidate.tool_call_id === toolCallId);
    if (call) return { step, call };
  }
  return undefined;
}

/** Different processes publish the answer and the run, so the result of the answer may be known before the answer. */
function reduceApproval(
  view: View,
  turn: TurnView,
  { step, call }: { step: StepView; call: CallView },
  event: EventOf<'approval_answered'>,
): Reduced {
  if (call.approval) return { verdict: 'known', view };
  const approval = { decision: event.decision, by: event.by };
  if (call.state === 'awaiting_approval') {
    const change = {
      ...withCutArgs(call),
      state: 'queued' as const,
      expires_at: undefined,
      approvers: undefined,
      approval,
    };
    return { verdict: 'applied', view: changeCall(view, turn, step, call, change), event };
  }
  // The event is old: other calls may wait by now.
  const calls = step.calls.map((other) => (other === call ? { ...call, approval } : other));
  return { verdict: 'applied', view: changeStep(view, turn, step, { calls }), event };
}

type Change = Partial<CallView> | 'known' | 'passing' | 'gap';

function changeOf(call: CallView, event: Exclude<ToolEvent, EventOf<'approval_answered'>>): Change {
  switch (event.type) {
    case 'tool_queued':
      // A queued call is already shown by its step; the event is still the clients' contract.
      return call.state === 'queued' ? 'passing' : 'known';
    case 'tool_start':
      return changeByStart(call, event);
    case 'tool_progress':
      return call.state === 'running' ? 'passing' : 'known';
    case 'tool_complete':
    case 'tool_error':
      return changeByEnd(call, event);
    case 'approval_required':
      // The step has already announced this: a call that does not wait, or no longer waits, was answered.
      return call.state === 'awaiting_approval' ? 'passing' : 'known';
    case 'input_required':
      return changeByQuestion(call, event);
    case 'input_answered':
      return changeByInput(call, event);
  }
}

/** Only the store knows whether a later attempt waits for the same answer. */
function changeByStart(call: CallView, { attempt, timestamp }: EventOf<'tool_start'>): Change {
  if (attempt < call.attempt) return 'known';
  const hasStarted = call.state === 'running' || call.state === 'awaiting_input';
  if (hasStarted && attempt === call.attempt) return 'known';
  if (call.state === 'awaiting_input') return 'gap';
  return {
    ...withCutArgs(call),
    state: 'running',
    attempt,
    started_at: timestamp,
    expires_at: undefined,
    approvers: undefined,
  };
}

/** A call asks one question at a time: a new question ends the earlier ones. */
function changeByQuestion(call: CallView, event: EventOf<'input_required'>): Change {
  const { number, expires_at } = event;
  if (call.question && number <= call.question.number) return 'known';
  if (call.state !== 'running' && call.state !== 'awaiting_input') return 'gap';
  return { state: 'awaiting_input', question: questionView(number, event), expires_at };
}

/** Different processes publish the question and the answer, so an answer may come before its question. */
function changeByInput(call: CallView, { number }: EventOf<'input_answered'>): Change {
  if (!call.question || call.question.number < number) return 'gap';
  if (call.question.number > number || call.state !== 'awaiting_input') return 'known';
  return { state: 'running', expires_at: undefined };
}

function changeByEnd(call: CallView, event: ToolEnd): Partial<CallView> {
  const { attempt, worker, duration_ms, timestamp: ended_at } = event;
  const end = {
    ...withCutArgs(call),
    attempt,
    worker,
    duration_ms,
    started_at: startOfEnded({ attempt, duration_ms, ended_at }),
    ended_at,
    question: undefined,
    expires_at: undefined,
    approvers: undefined,
    ...explanationField(event),
    ...artifactsOf(event),
  };
  if (event.type === 'tool_error') {
    const { error_type, error_message, error_details } = event;
    const error = { error_type, error_message, ...(error_details == null ? {} : { error_details }) };
    return { ...end, state: stateOfError(error_type), error };
  }
  const { text, truncated } = cutText(event.tool_result);
  return {
    ...end,
    state: 'succeeded',
    result: text,
    ...statusField(event.status),
    ...(truncated ? { truncated } : {}),
  };
}

function callOf(
  event: Extract<ConversationEvent, { type: 'tool_start' | 'tool_complete' | 'tool_error' }>,
): CallView {
  const { tool_call_id, tool_name, display_name, source, attempt } = event;
  const call: CallView = {
    tool_call_id,
    tool_name,
    display_name,
    source,
    toolset: toolsetOf(tool_name),
    state: 'queued',
    attempt,
    args: {},
  };
  if (event.type === 'tool_start')
    return {
      ...call,
      ...withCutArgs({ args: event.tool_args }),
      state: 'running',
      started_at: event.timestamp,
    };
  const { question: _q, expires_at: _e, approvers: _a, started_at, ...end } = changeByEnd(call, event);
  return { ...call, ...end, ...(started_at === undefined ? {} : { started_at }) };
}

/** Arguments are shown in full only while a person has to judge them. */
function withCutArgs({ args: whole }: Pick<CallView, 'args'>): Pick<CallView, 'args' | 'truncated'> {
  const { args, truncated } = cutArgs(whole);
  return truncated ? { args, truncated } : { args };
}
