import { isEndedStatus, type Claim, type Journal, type Step, type Turn } from '#contracts';
import { endsTurn } from '../journal/ends-turn.js';
import { answerTo, claimsOn, endingStep, holderOf, outcomeOf, statusOf } from '../journal/journal.js';
import { isSettled } from '../rules/sweep-rules.js';
import { brokenInCall, isInOrder } from './call-invariants.js';
import type { Broken } from './invariants.js';
import { unreadableRows } from './unreadable-rows.js';

/**
 * What the rows of one turn break, read at one moment. Rows that were read while they changed may seem to break
 * something; what is still broken in a second reading is. Once the conversation is being deleted, nothing is.
 */
export function brokenInTurn(journal: Journal): Broken[] {
  const unreadable = unreadableRows(journal);
  if (unreadable.length > 0) return unreadable;
  const { turn, steps } = journal;
  const ended = new Set(journal.outcomes.map(({ _id }) => _id));
  return [
    ...brokenInSteps(turn.options, steps, (id) => ended.has(id)),
    ...brokenInCaches(journal),
    ...brokenByStrangers(journal),
    ...(isInOrder(claimsOn(journal, turn._id))
      ? []
      : [{ invariant: 'claims_in_order', row: turn._id } as const]),
    ...steps
      .flatMap(({ calls }) => calls)
      .flatMap((call) => {
        const id = call.tool_call_id;
        const approval = answerTo(journal, id, 'approval');
        return brokenInCall({
          call,
          claims: claimsOn(journal, id),
          outcome: outcomeOf(journal, id),
          approval,
          userId: turn.user_id,
        });
      }),
  ];
}

/** The steps of a turn, by `n`. */
export function brokenInSteps(
  options: Turn['options'],
  steps: readonly Step[],
  hasEnded: (toolCallId: string) => boolean,
): Broken[] {
  const broken: Broken[] = [];
  const asked: string[] = [];
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (step.n !== i + 1) broken.push({ invariant: 'steps_in_order', row: step._id });
    if (before && endsTurn(options, before)) broken.push({ invariant: 'one_end', row: step._id });
    if (step.kind === 'model' && !asked.every(hasEnded))
      broken.push({ invariant: 'calls_end_first', row: step._id });
    asked.push(...step.calls.map(({ tool_call_id }) => tool_call_id));
  }
  return broken;
}

/** Whether a turn was taken up although an earlier turn of its conversation had not ended. */
export function isTakenUpEarly(journal: Journal, firstOpen: Pick<Turn, 'number'> | undefined): boolean {
  const { turn } = journal;
  return (
    firstOpen !== undefined && firstOpen.number < turn.number && holderOf(journal, turn._id) !== undefined
  );
}

/** Caches may lag, except those that keep processes from looking at the turn again. */
function brokenInCaches(journal: Journal): Broken[] {
  const { turn } = journal;
  // An imported turn counts as ended before its only step is written.
  const isImported = turn.options.answer !== undefined && !endingStep(journal);
  const isWrong = isEndedStatus(turn.status) && turn.status !== statusOf(journal) && !isImported;
  return [
    ...(isWrong ? [{ invariant: 'status_of_end', row: turn._id } as const] : []),
    ...(turn.due_at === null && !isSettled(journal)
      ? [{ invariant: 'stays_due', row: turn._id } as const]
      : []),
  ];
}

/** Rows about calls that no step of the turn asks for. */
function brokenByStrangers({ turn, steps, claims, outcomes, answers }: Journal): Broken[] {
  const calls = new Set(steps.flatMap((step) => step.calls.map(({ tool_call_id }) => tool_call_id)));
  const strangers = [
    ...claims.filter((claim) => workOf(claim) !== turn._id && !calls.has(workOf(claim))),
    ...outcomes.filter(({ _id }) => !calls.has(_id)),
    ...answers.filter(({ _id }) => !calls.has(_id.split(':')[0]!)),
  ];
  return strangers.map(({ _id }) => ({ invariant: 'known_call', row: _id }));
}

function workOf({ _id, n }: Claim): string {
  return _id.endsWith(`:${n}`) ? _id.slice(0, -`:${n}`.length) : _id;
}
