import type { Claim, Journal, Waiting } from '#contracts';
import { endingStep, holderOf, nextStepNumber } from '../journal/journal.js';
import { decideCalls, type CallDecision } from '../rules/decide.js';
import { whyCallWaits } from './why-call-waits.js';
import { sentenceOf } from './wait-sentences.js';
import type { WaitSituation } from './wait-situation.js';

/** The reason that a person should see first, of calls that wait at once. */
const URGENCY: readonly Waiting['reason'][] = [
  'no_worker',
  'paused',
  'worker_lost',
  'queued',
  'stopping',
  'settling',
  'running',
  'question',
  'approval',
];

type Reason = Omit<Waiting, 'text'>;

/** Why the turn waits now; undefined if it is over. Total: every other journal has exactly one reason. */
export function whyWaiting(journal: Journal, situation: WaitSituation): Waiting | undefined {
  const reason = reasonOf(journal, situation);
  return reason && { ...reason, text: sentenceOf(reason, journal, situation) };
}

function reasonOf(journal: Journal, situation: WaitSituation): Reason | undefined {
  const end = endingStep(journal);
  const calls = decideCalls(journal, { ...situation, stopped: end !== undefined && end.kind !== 'model' });
  if (end) return mostUrgent(journal, calls, situation);
  if (situation.deleted) return { reason: 'ending', since: latest(journal) };
  if (situation.earlier) return { reason: 'earlier_turn', since: journal.turn.at };
  const isParked = calls.length > 0 && calls.every(({ action }) => action.do === 'await_person');
  const holder = holderOf(journal, journal.turn._id);
  const undriven = isParked ? undefined : whyUndriven(journal, holder, situation);
  if (undriven) return undriven;
  return (
    mostUrgent(journal, calls, situation) ?? {
      reason: 'model',
      since: latest(journal),
      step: nextStepNumber(journal),
      process: holder?.owner,
    }
  );
}

function whyUndriven(
  { turn }: Journal,
  holder: Claim | undefined,
  { liveness, fleet }: WaitSituation,
): Reason | undefined {
  if (holder && liveness(holder.owner) === 'alive') return undefined;
  const since = holder?.at ?? turn.at;
  if (fleet.orchestrators === 0) return { reason: 'no_orchestrator', since };
  return holder
    ? { reason: 'orchestrator_lost', since, process: holder.owner }
    : { reason: 'orchestrator', since };
}

function mostUrgent(
  journal: Journal,
  calls: readonly CallDecision[],
  situation: WaitSituation,
): Reason | undefined {
  return calls
    .map((decision) => whyCallWaits(journal, decision, situation.fleet))
    .sort((a, b) => URGENCY.indexOf(a.reason) - URGENCY.indexOf(b.reason))[0];
}

/** When the last thing happened that the rows know. */
function latest({ turn, claims, steps, outcomes, answers }: Journal): string {
  return [turn, ...claims, ...steps, ...outcomes, ...answers]
    .map(({ at }) => at)
    .reduce((last, at) => (at > last ? at : last));
}
