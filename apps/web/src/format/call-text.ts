import type { CallView, Waiting } from '#contracts';
import { toVisibleText } from '#turn';
import type { Transient } from '../conversation/transient.js';
import { formatElapsed, formatNumber } from './durations.js';

/** How a call is drawn; several states of the protocol may look the same. */
export type CallAppearance =
  'queued' | 'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'never_started' | 'unknown';

export function appearanceOf(call: CallView): CallAppearance {
  switch (call.state) {
    case 'queued':
    case 'running':
    case 'failed':
    case 'unknown':
      return call.state;
    case 'awaiting_approval':
    case 'awaiting_input':
      return 'waiting';
    case 'succeeded':
      return 'done';
    case 'cancelled':
      return hasStarted(call) ? 'stopped' : 'never_started';
  }
}

/** `started` as reported by the outcome. Without it, attempt 0 means that no worker ever claimed the call. */
function hasStarted(call: CallView): boolean {
  const details = call.error?.error_details;
  if (typeof details === 'object' && details !== null && 'started' in details)
    return details.started === true;
  return call.attempt > 0;
}

/** A person denied it, or no one answered in time: the tool itself did not fail. */
function isForbidden(call: CallView): boolean {
  return call.attempt === 0 && call.error?.error_type === 'PermissionError';
}

export const isOpen = (call: CallView): boolean =>
  ['queued', 'awaiting_approval', 'running', 'awaiting_input'].includes(call.state);

/** The word next to a call. While disconnected, it says only what was true. */
export function stateText(
  call: CallView,
  isDisconnected: boolean,
  progress?: Transient['progress'][string],
  reason?: Waiting,
): string {
  switch (call.state) {
    case 'queued':
      return isDisconnected ? 'Was queued' : queuedText(reason);
    case 'awaiting_approval':
      return `${isDisconnected ? 'Was waiting' : 'Waiting'} for ${call.approvers ? 'approval' : 'you'}`;
    case 'awaiting_input':
      return isDisconnected ? 'Was asking' : 'Asks a question';
    case 'running':
      return runningText(call, isDisconnected, progress);
    case 'succeeded':
      return workerName(call.worker) ?? 'Done';
    case 'failed':
      return isForbidden(call) ? 'Not allowed' : 'Failed';
    case 'cancelled':
      return hasStarted(call) ? 'Stopped' : 'Never started';
    case 'unknown':
      return 'May have run';
  }
}

/** Short, because a row has one line. RabbitMQ tells how long the queue is, not the call's place in it. */
function queuedText(reason: Waiting | undefined): string {
  if (reason?.reason === 'no_worker') return 'No worker is running';
  if (reason?.reason === 'paused') return 'Paused by an operator';
  const { calls, estimate_ms } = (reason?.reason === 'queued' && reason.queue) || {};
  if (!calls) return 'Queued';
  const inLine = `${formatNumber(calls)} in line`;
  return estimate_ms ? `${inLine} · ${formatElapsed(estimate_ms)}` : `Queued · ${inLine}`;
}

function runningText(
  call: CallView,
  isDisconnected: boolean,
  progress?: Transient['progress'][string],
): string {
  const share = progress?.total ? `${Math.round((100 * progress.progress) / progress.total)} %` : undefined;
  const attempt = call.attempt > 1 ? `attempt ${call.attempt}` : undefined;
  return [isDisconnected ? 'Was running' : 'Running', attempt ?? share].filter(Boolean).join(' · ');
}

/** The sentence under a call, only if the user needs more than the word. */
export function explanationOf(call: CallView, progress?: Transient['progress'][string]): string | undefined {
  switch (call.state) {
    case 'running':
      if (call.attempt > 1) return 'An earlier worker stopped answering, so the call was started again.';
      return progress?.message;
    case 'failed':
      // The answer itself says better who denied it.
      if (isForbidden(call) && call.approval) return undefined;
      return (
        call.error &&
        [`${call.error.error_type}: ${call.error.error_message}`, call.explanation].filter(Boolean).join(' ')
      );
    case 'unknown':
      return `${explainUnknown(call)} Check what it did before you repeat it.`;
    case 'awaiting_approval':
      return call.approvers && `Somebody else with the role ${approversText(call.approvers)} approves it.`;
    case 'queued':
    case 'awaiting_input':
    case 'cancelled':
      return undefined;
    case 'succeeded':
      return [statusSentence(call), call.explanation].filter(Boolean).join(' ') || undefined;
  }
}

function approversText(approvers: readonly string[]): string {
  return toVisibleText(approvers.join(' or '));
}

/** The error of a call that succeeded in part is in its result. */
function statusSentence({ status }: CallView): string | undefined {
  if (status === 'partial_success') return 'Done in part.';
  return status === 'no_change_needed' ? 'Nothing had to be done.' : undefined;
}

/** Either its worker or the tool's server may have died: the outcome says which. */
function explainUnknown({ error }: CallView): string {
  const why = error?.error_message.replace(/^May have run\. /, '');
  return why || 'Nobody could report how it ended. It will not be started again.';
}

/** The user who answered its approval. */
export function approvalText(
  { approval }: CallView,
  isThisPerson: (userId: string) => boolean,
): string | undefined {
  if (!approval) return undefined;
  const who = isThisPerson(approval.by) ? 'you' : approval.by;
  switch (approval.decision) {
    case 'approve':
      return `Approved by ${who}.`;
    case 'deny':
      return `Denied by ${who}. It did not run.`;
    case 'expired':
      return 'Nobody answered in time. It did not run.';
  }
}

/** Shortens a process id for users: `worker-3f2a91b0-…` reads `worker-3f2a91`. */
export function workerName(worker: string | undefined): string | undefined {
  if (!worker) return undefined;
  return worker.replace(/^(gateway|orchestrator|worker)-([0-9a-f]{6})[0-9a-f-]{20,}$/, '$1-$2');
}

const MAX_SUMMARY_LENGTH = 120;

/** The arguments in a few words. Nested values are only counted. */
export function argumentSummary(args: Record<string, unknown>): string {
  const entries = Object.entries(args);
  if (entries.length === 1) return shortValue(entries[0]![1]).slice(0, MAX_SUMMARY_LENGTH);
  return entries
    .slice(0, 6)
    .map(([key, value]) => `${toVisibleText(key)}: ${shortValue(value)}`)
    .join(', ')
    .slice(0, MAX_SUMMARY_LENGTH);
}

function shortValue(value: unknown): string {
  if (typeof value === 'string')
    return toVisibleText(value.slice(0, MAX_SUMMARY_LENGTH).replace(/\s+/g, ' '));
  if (Array.isArray(value)) {
    const isFlat = value.length <= 8 && value.every((item) => typeof item !== 'object');
    return isFlat
      ? `[${value.map((item) => toVisibleText(String(item))).join(', ')}]`
      : `[${value.length} items]`;
  }
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length} keys}`;
  return String(value);
}
