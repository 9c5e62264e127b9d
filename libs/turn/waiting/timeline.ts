import {
  letterReasonOf,
  type Answer,
  type Call,
  type Claim,
  type DeadLetter,
  type Journal,
  type Outcome,
  type Step,
  type TimelineEntry,
} from '#contracts';
import { byTime } from '../journal/by-time.js';
import { toolNameForOperators } from './tool-name-for-operators.js';

/** Everything that the journal knows of a turn, in the order of time. */
export function timelineOf(
  journal: Journal,
  letters: readonly Omit<DeadLetter, 'content'>[] = [],
): TimelineEntry[] {
  const { turn, steps, claims, outcomes, answers } = journal;
  const entries: TimelineEntry[] = [
    { at: turn.at, what: 'message', by: turn.user_id, about: { bytes: bytesOf(turn.content) } },
    ...steps.flatMap(entriesOfStep),
    ...claims.map((claim) => ofClaim(claim, turn._id)),
    ...outcomes.map(ofOutcome),
    ...answers.map(ofAnswer),
    ...letters.map(ofLetter),
  ];
  return entries.sort(byTime);
}

function entriesOfStep(step: Step): TimelineEntry[] {
  const { at, n, kind, attempt, blocks, calls, model, stop_reason, usage, error } = step;
  const about = defined({
    kind,
    model,
    stop_reason: stop_reason ?? undefined,
    calls: calls.length,
    bytes: bytesOf(blocks),
    code: error?.code,
    ...usage,
  });
  return [{ at, what: 'step', step: n, attempt, about }, ...calls.map((call) => ofCall(step, call))];
}

function ofCall({ at, n }: Step, call: Call): TimelineEntry {
  const { tool_call_id, approval, timeout_ms, refusal } = call;
  const bytes = bytesOf(call.arguments);
  const about = {
    tool_name: toolNameForOperators(call),
    class: call.class,
    approval,
    timeout_ms,
    bytes,
    is_refused: refusal !== undefined,
  };
  return { at, what: 'call', step: n, tool_call_id, about };
}

function ofClaim({ _id, at, owner, n, purpose, evidence }: Claim, turnId: string): TimelineEntry {
  const workId = _id.slice(0, _id.lastIndexOf(':'));
  const by = { at, by: owner, attempt: n };
  if (workId === turnId) return { ...by, what: 'taken_up', about: defined({ evidence }) };
  return { ...by, what: 'call_claimed', tool_call_id: workId, about: defined({ purpose, evidence }) };
}

function ofOutcome(outcome: Outcome): TimelineEntry {
  const { _id, at, n, worker, attempt, status, error, duration_ms } = outcome;
  const { data, explanation, artifacts } = outcome;
  const bytes = bytesOf({ data, explanation, error });
  const about = { status, error_type: error?.error_type, duration_ms, bytes, artifacts: artifacts?.length };
  return { at, what: 'call_ended', by: worker, step: n, tool_call_id: _id, attempt, about: defined(about) };
}

function ofAnswer({ _id, at, by, decision, question, action }: Answer): TimelineEntry {
  const tool_call_id = _id.slice(0, _id.indexOf(':'));
  const row = { at, by, tool_call_id };
  if (decision !== undefined) return { ...row, what: 'approval', about: { decision } };
  if (question !== undefined) return { ...row, what: 'question', about: { bytes: bytesOf(question) } };
  return { ...row, what: 'answer', about: defined({ action }) };
}

function ofLetter({ at, queue, reason, size }: Omit<DeadLetter, 'content'>): TimelineEntry {
  return { at, what: 'dead_letter', about: defined({ queue, reason: letterReasonOf(reason), bytes: size }) };
}

function bytesOf(content: unknown): number {
  return new TextEncoder().encode(JSON.stringify(content) ?? '').length;
}

function defined(about: object): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
}
