import type { Answer, Call, Claim, Journal, Outcome, Step } from '#contracts';
import { answerTo, claimsOn, outcomeOf } from '#turn';
import type { Start } from '../evidence.js';
import { isBeforeRow } from './clock-error.js';
import type { Finding } from './finding.js';
import { groupBy } from './group-by.js';
import type { History } from './history.js';
import { Troubles } from './trouble.js';

/** One call with everything that was written down about it. */
export interface CallRecord {
  step: Step;
  call: Call;
  claims: Claim[];
  outcome: Outcome | undefined;
  /** What a person said, if one was asked. */
  approval: Answer | undefined;
  starts: Start[];
}

export function recordCalls({ store, starts }: Pick<History, 'store' | 'starts'>): CallRecord[] {
  const startsOf = groupBy(starts, ({ tool_call_id }) => tool_call_id);
  const recordOf = (journal: Journal, step: Step, call: Call): CallRecord => ({
    step,
    call,
    claims: claimsOn(journal, call.tool_call_id),
    outcome: outcomeOf(journal, call.tool_call_id),
    approval: answerTo(journal, call.tool_call_id, 'approval'),
    starts: startsOf.get(call.tool_call_id) ?? [],
  });
  return store.flatMap(({ journals }) =>
    journals.flatMap((journal) =>
      journal.steps.flatMap((step) => step.calls.map((call) => recordOf(journal, step, call))),
    ),
  );
}

/** Nothing started twice that must not, nothing started without right, no end without reason. */
export function judgeCalls(
  history: Pick<History, 'store' | 'starts' | 'lives' | 'requests'>,
  records: CallRecord[],
): Finding[] {
  const troubles = new Troubles(history.lives);
  const pids = new Map<string, number>();
  for (const event of history.lives) if (event.what === 'born') pids.set(event.process_id, event.pid);
  return [
    ...judgeUncommitted(history, records),
    ...judgeStops(history, records),
    ...records.flatMap((record) => [
      ...judgeStarts(record, pids),
      ...judgeOutcome(record),
      ...judgeUnknown(record, troubles),
    ]),
  ];
}

function nameOf({ call }: CallRecord): string {
  return `call ${call.tool_call_id} (${call.class})`;
}

function judgeUncommitted({ starts }: Pick<History, 'starts'>, records: CallRecord[]): Finding[] {
  const known = new Set(records.map(({ call }) => call.tool_call_id));
  return starts
    .filter(({ tool_call_id }) => !known.has(tool_call_id))
    .map(({ tool_call_id, label }) => ({
      goal: 'broken rule',
      what: `${tool_call_id} (${label}) was started, but no step asks for it`,
    }));
}

function judgeStarts(record: CallRecord, pids: Map<string, number>): Finding[] {
  const found: Finding[] = [];
  const { call, claims, starts, step } = record;
  const name = nameOf(record);
  if (call.class === 'once' && starts.length > 1)
    found.push({ goal: 'doubled', what: `${name} was started ${starts.length} times` });
  for (const [attempt, same] of groupBy(starts, (start) => start.attempt)) {
    if (same.length > 1)
      found.push({ goal: 'doubled', what: `${name}: attempt ${attempt} was started ${same.length} times` });
    const claim = claims.find(({ n }) => n === attempt);
    if (claim?.purpose !== 'run')
      found.push({ goal: 'broken rule', what: `${name}: attempt ${attempt} was started without its claim` });
    else if (same.some(({ worker_pid }) => worker_pid !== pids.get(claim.owner)))
      found.push({
        goal: 'broken rule',
        what: `${name}: attempt ${attempt} was started by another than its owner`,
      });
  }
  if (starts.some(({ at, label }) => isBeforeRow(at, step) || label !== call.arguments.label))
    found.push({
      goal: 'broken rule',
      what: `${name} was started as something that its step does not ask for`,
    });
  return found;
}

function judgeOutcome(record: CallRecord): Finding[] {
  const { claims, outcome, starts } = record;
  const [first] = claims;
  const name = nameOf(record);
  if (!outcome || !first) return [];
  if (first.purpose === 'settle' && starts.length > 0)
    return [{ goal: 'broken rule', what: `${name} was started although its claim says that it never can` }];
  if (outcome.status !== 'failure' && !starts.some(({ attempt }) => attempt === outcome.attempt))
    return [
      { goal: 'broken rule', what: `${name} succeeded in attempt ${outcome.attempt}, which never started` },
    ];
  return [];
}

/** Whoever ran it must have been lost after it claimed the call and before the call was given up. */
function judgeUnknown(record: CallRecord, troubles: Troubles): Finding[] {
  const { claims, outcome } = record;
  if (outcome?.error?.error_type !== 'OutcomeUnknown') return [];
  const endedAt = Date.parse(outcome.at);
  const isJustified = claims.some(
    ({ owner, purpose, at }) => purpose === 'run' && troubles.hit(owner, Date.parse(at), endedAt),
  );
  if (isJustified) return [];
  const owners = claims.map(({ n, owner, at }) => `${n} by ${owner} at ${at}`).join(', ');
  return [{ goal: 'unjustified unknown', what: `${nameOf(record)} at ${outcome.at}, claimed: ${owners}` }];
}

/** What an acknowledged Stop does not name never starts afterwards. */
function judgeStops(
  { requests, starts }: Pick<History, 'requests' | 'starts'>,
  records: CallRecord[],
): Finding[] {
  const turnOf = new Map(records.map(({ call, step }) => [call.tool_call_id, step.turn_id]));
  const startsOfTurn = groupBy(starts, ({ tool_call_id }) => turnOf.get(tool_call_id));
  return requests.flatMap((request) => {
    if (request.what !== 'stopped') return [];
    const { turn_id, may_be_running, at } = request;
    return (startsOfTurn.get(turn_id) ?? [])
      .filter((start) => start.at > at && !may_be_running.includes(start.tool_call_id))
      .map(({ tool_call_id }): Finding => ({
        goal: 'broken rule',
        what: `${tool_call_id} started after the acknowledged Stop of ${turn_id}, which did not name it`,
      }));
  });
}
