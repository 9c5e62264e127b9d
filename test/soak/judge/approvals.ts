import type { CallRecord } from './calls.js';
import { isBeforeRow } from './clock-error.js';
import type { Finding } from './finding.js';
import { groupBy } from './group-by.js';
import type { History } from './history.js';

/** An answer is given once and stands; what was not approved never starts. */
export function judgeApprovals({ requests }: Pick<History, 'requests'>, records: CallRecord[]): Finding[] {
  const acknowledged = requests.flatMap((request) => (request.what === 'answered' ? [request] : []));
  const answersOf = groupBy(acknowledged, ({ tool_call_id }) => tool_call_id);
  return records
    .filter(({ call }) => call.approval === 'required')
    .flatMap((record) => [
      ...judgeAnswers(
        record,
        (answersOf.get(record.call.tool_call_id) ?? []).map(({ decision }) => decision),
      ),
      ...judgeObedience(record),
    ]);
}

function judgeAnswers({ call, approval }: CallRecord, decisions: string[]): Finding[] {
  const name = `call ${call.tool_call_id}`;
  if (decisions.length > 1)
    return [
      { goal: 'doubled', what: `${name} was answered ${decisions.length} times: ${decisions.join(', ')}` },
    ];
  const [decision] = decisions;
  if (decision === undefined || approval?.decision === decision) return [];
  const stands = approval?.decision ?? 'no answer';
  return [{ goal: 'lost', what: `${name}: ${decision} was acknowledged, but ${stands} is in the store` }];
}

function judgeObedience({ call, approval, starts, outcome }: CallRecord): Finding[] {
  const broken = (what: string): Finding => ({
    goal: 'broken rule',
    what: `call ${call.tool_call_id} ${what}`,
  });
  const isApproved = approval?.decision === 'approve';
  if (starts.length > 0 && !isApproved)
    return [broken(`was started, although the answer was: ${approval?.decision ?? 'none'}`)];
  if (isApproved && starts.some(({ at }) => isBeforeRow(at, approval)))
    return [broken('was started before it was approved')];
  if (outcome?.status === 'success' && !isApproved) return [broken('succeeded without approval')];
  return [];
}

/** How the calls that ask a person were answered; `none`: stopped before anybody did. */
export function decisionsOf(records: readonly CallRecord[]): string[] {
  return records
    .filter(({ call }) => call.approval === 'required')
    .map(({ approval }) => approval?.decision ?? 'none');
}
