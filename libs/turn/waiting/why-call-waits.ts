import type { Journal, Waiting } from '#contracts';
import { answerTo, holderOf, lastQuestion } from '../journal/journal.js';
import { approvalExpiry } from '../rules/call-rules.js';
import { sendDeadlineOf, type CallDecision } from '../rules/decide.js';
import { toolNameForOperators } from './tool-name-for-operators.js';
import type { CallsFleet } from './wait-situation.js';

/** Why an open call waits. */
export function whyCallWaits(
  journal: Journal,
  decision: CallDecision,
  fleet: CallsFleet,
): Omit<Waiting, 'text'> {
  const { step, call, action } = decision;
  const { tool_call_id } = call;
  const about = { step: step.n, tool_call_id, tool_name: toolNameForOperators(call) };
  const holder = holderOf(journal, tool_call_id);
  switch (action.do) {
    case 'await_person':
      return { ...whyPerson(journal, decision), ...about, process: holder?.owner };
    case 'publish':
      return holder
        ? { reason: 'worker_lost', since: holder.at, ...about, process: holder.owner }
        : { ...whyUnclaimed(journal, decision, fleet), ...about };
    case 'cancel':
      return { reason: 'stopping', since: journal.steps.at(-1)!.at, ...about, process: holder?.owner };
    case 'nothing':
      return holder?.purpose === 'run'
        ? { reason: 'running', since: holder.at, ...about, process: holder.owner }
        : { reason: 'settling', since: holder?.at ?? step.at, ...about };
    case 'expire':
    case 'compete':
    case 'settle':
      return { reason: 'settling', since: holder?.at ?? step.at, ...about };
  }
}

function whyPerson(
  journal: Journal,
  { step, call }: CallDecision,
): Pick<Waiting, 'reason' | 'since' | 'until'> {
  const asked = lastQuestion(journal, call.tool_call_id);
  if (asked && !asked.input) {
    const row = journal.answers.find(({ question }) => question === asked.question);
    return { reason: 'question', since: row?.at ?? step.at, until: asked.question.expires_at };
  }
  return { reason: 'approval', since: step.at, until: approvalExpiry(step, call) };
}

function whyUnclaimed(
  journal: Journal,
  decision: CallDecision,
  fleet: CallsFleet,
): Pick<Waiting, 'reason' | 'since' | 'until' | 'queue'> {
  const { step, call } = decision;
  const since = answerTo(journal, call.tool_call_id, 'approval')?.at ?? step.at;
  const until = new Date(sendDeadlineOf(journal, decision)).toISOString();
  const queue = fleet.queueOf(call.tool_name);
  if (fleet.isPaused(call.tool_name)) return { reason: 'paused', since, until, queue };
  return { reason: queue.workers === 0 ? 'no_worker' : 'queued', since, until, queue };
}
