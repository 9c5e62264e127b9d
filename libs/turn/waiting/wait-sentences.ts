import type { Journal, QueueState, Waiting } from '#contracts';
import { mayRunAgain } from '../rules/call-rules.js';
import type { WaitSituation } from './wait-situation.js';

type Reason = Omit<Waiting, 'text'>;

/** One sentence for operators; it contains names and numbers, no content. */
export function sentenceOf(reason: Reason, journal: Journal, situation: WaitSituation): string {
  const { fleet, earlier } = situation;
  const process = reason.process ?? 'its process';
  const call = callName(reason, journal);
  const theCall = `C${call.slice(1)}`;
  switch (reason.reason) {
    case 'earlier_turn':
      return `It waits for turn ${earlier?.number} of its conversation, which has not ended.`;
    case 'no_orchestrator':
      return 'No orchestrator takes new turns: start one, or let one that drains go on.';
    case 'orchestrator':
      return `It waits for an orchestrator to take it up: ${inQueue(fleet.turnsQueued)}, ${count(fleet.orchestrators, 'orchestrator')}.`;
    case 'orchestrator_lost':
      return `Its orchestrator ${process} is gone: another one takes it over within seconds.`;
    case 'model':
      return `${process} asks a model for step ${reason.step}, or waits for its admission.`;
    case 'ending':
      return 'Its conversation is deleted: an orchestrator ends it.';
    case 'paused':
      return `${theCall} waits because an operator has paused it: resume it, or it is refused.`;
    case 'no_worker':
      return `${theCall} waits for a worker of its toolset, and none is running: start one.`;
    case 'worker_lost':
      return `${theCall} was run by ${process}, which is gone: ${afterLoss(reason, journal)}.`;
    case 'queued':
      return `${theCall} waits for a worker: ${queueText(reason.queue)}.`;
    case 'running':
      return `${theCall} runs in ${process}.`;
    case 'stopping':
      return `The turn was stopped, and ${process} is told to stop ${call}.`;
    case 'settling':
      return `The end of ${call} is known and is being written.`;
    case 'question':
      return `${theCall} has asked a question and waits for a person to answer it.`;
    case 'approval':
      return `${theCall} waits for ${approverOf(reason, journal)} to approve it.`;
  }
}

function approverOf({ step, tool_call_id }: Reason, { steps }: Journal): string {
  const calls = steps.find(({ n }) => n === step)?.calls ?? [];
  const approvers = calls.find((call) => call.tool_call_id === tool_call_id)?.approvers;
  return approvers ? `somebody with the role ${approvers.join(' or ')}` : 'a person';
}

function callName({ step, tool_call_id, tool_name }: Reason, { steps }: Journal): string {
  const calls = steps.find(({ n }) => n === step)?.calls ?? [];
  const place = calls.findIndex((call) => call.tool_call_id === tool_call_id) + 1;
  return `call ${place} of step ${step} (${tool_name})`;
}

function afterLoss({ step, tool_call_id }: Reason, { steps }: Journal): string {
  const call = steps.find(({ n }) => n === step)?.calls.find((one) => one.tool_call_id === tool_call_id);
  return call && mayRunAgain(call.class) ? 'another worker runs it again' : 'its outcome is becoming unknown';
}

function queueText(queue: QueueState | undefined): string {
  if (!queue) return 'nothing is known of its queue';
  const parts = [
    inQueue(queue.calls),
    count(queue.workers, 'worker'),
    `${rounded(queue.per_second)} calls/s`,
  ];
  const estimate = queue.estimate_ms === undefined ? '' : `: about ${durationText(queue.estimate_ms)}`;
  return `${parts.join(', ')}${estimate}`;
}

function inQueue(messages: number | undefined): string {
  return messages === undefined ? 'the length of the queue is not known' : `${messages} in the queue`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function rounded(value: number): string {
  return value >= 10 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

/** `50 s`, `3 min`, `2 h`. */
function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
