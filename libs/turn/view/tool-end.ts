import type { Call, CallState, CallView, ErrorDetail, Outcome, ToolEnd } from '#contracts';
import { outputNote, plainText } from '#contracts';
import { cutText } from './view-limits.js';

export function toolsetOf(toolName: string): string {
  const dot = toolName.indexOf('.');
  return dot < 0 ? toolName : toolName.slice(0, dot);
}

/** The state of a call with this outcome. */
export function stateOf(outcome: Pick<Outcome, 'status' | 'error'>): CallState {
  if (outcome.status !== 'failure') return 'succeeded';
  return stateOfError(outcome.error?.error_type);
}

export function stateOfError(errorType: string | undefined): CallState {
  if (errorType === 'Cancelled') return 'cancelled';
  return errorType === 'OutcomeUnknown' ? 'unknown' : 'failed';
}

/** Why a call failed. The schema lets the reason be missing, so there is a default for viewers. */
export function errorOf({ error }: Pick<Outcome, 'error'>): ErrorDetail {
  return error ?? { error_type: 'ToolExecutionError', error_message: 'no reason given' };
}

/**
 * When an ended call began (ISO 8601); undefined if it never ran. Derived from its end alone, so that a view is the
 * same whether or not the call's `tool_start` was seen.
 */
export function startOfEnded(end: {
  attempt: number;
  duration_ms: number;
  ended_at: string;
}): string | undefined {
  const startedAt = new Date(Date.parse(end.ended_at) - end.duration_ms);
  // A worker may have told any duration.
  return end.attempt === 0 || Number.isNaN(startedAt.getTime()) ? undefined : startedAt.toISOString();
}

/** `tool_complete` or `tool_error` for an outcome. */
export function toolEndEvent(
  call: Pick<Call, 'tool_name' | 'display_name' | 'source'>,
  outcome: Outcome,
): ToolEnd {
  const fields = {
    conversation_id: outcome.conversation_id,
    turn_id: outcome.turn_id,
    timestamp: outcome.at,
    step: outcome.n,
    tool_call_id: outcome._id,
    tool_name: call.tool_name,
    display_name: call.display_name,
    source: call.source,
    attempt: outcome.attempt,
    worker: outcome.worker,
    duration_ms: outcome.duration_ms,
    ...explanationOf(outcome),
    ...artifactsOf(outcome),
  };
  if (outcome.status === 'failure') return { type: 'tool_error', ...fields, ...errorOf(outcome) };
  const text = plainText(outcome);
  return { type: 'tool_complete', ...fields, tool_result: text, tool_output: text, status: outcome.status };
}

/** The field for an event or a view; absent when there are no artifacts. */
export function artifactsOf({ artifacts }: Pick<Outcome, 'artifacts'>): Pick<Outcome, 'artifacts'> {
  return artifacts && artifacts.length > 0 ? { artifacts } : {};
}

/** The field for an event: what its worker found, and what the tool says. */
export function explanationOf(
  outcome: Pick<Outcome, 'explanation' | 'output_problem'>,
): Pick<CallView, 'explanation'> {
  // First what a worker found: a view cuts what a tool says.
  const texts = [outputNote(outcome), outcome.explanation].filter((text) => text != null);
  return texts.length === 0 ? {} : { explanation: texts.join(' ') };
}

/** The field for a view. */
export function explanationField({
  explanation,
}: {
  explanation?: string | null;
}): Pick<CallView, 'explanation'> {
  return explanation == null ? {} : { explanation: cutText(explanation).text };
}

/** The field for a view; absent when the call's state already says it. */
export function statusField(status: Outcome['status']): Pick<CallView, 'status'> {
  return status === 'no_change_needed' || status === 'partial_success' ? { status } : {};
}

/** The end of a call in a view, as an event again: for viewers that missed it. */
export function toolEndOfView(
  call: CallView,
  place: { conversation_id: string; turn_id: string; step: number; timestamp: string },
): ToolEnd {
  const fields = {
    conversation_id: place.conversation_id,
    turn_id: place.turn_id,
    timestamp: call.ended_at ?? place.timestamp,
    step: place.step,
    tool_call_id: call.tool_call_id,
    tool_name: call.tool_name,
    display_name: call.display_name,
    source: call.source,
    attempt: call.attempt,
    worker: call.worker ?? '',
    duration_ms: call.duration_ms ?? 0,
    ...explanationField(call),
    ...artifactsOf(call),
  };
  if (call.error) {
    return { type: 'tool_error', ...fields, ...call.error };
  }
  const text = call.result ?? '';
  const { status = 'success' } = call;
  return { type: 'tool_complete', ...fields, tool_result: text, tool_output: text, status };
}
