import { completeResult } from '#contracts';
import { mayHaveRun, neverStarted, type CallAction, type CallDecision } from '#turn';
import { rule, slip, type Mutant, type World } from './mutant.js';
import { STOPPED } from './mutants-stopped.js';
import { PRODUCTION, type Rules } from './rules.js';
import { variant, type Variant } from './variant.js';

const waits: World = { user: 'waits' };
const deletes: World = { user: 'deletes' };
const idempotent: World = { toolClass: 'idempotent' };
/** One orchestrator and one worker are enough to break it. */
const alone: World = { alone: true };
const calm: World = { faults: false, timers: false, sweeper: false, broker: 'deliveries' };

const NOTHING: CallAction = { do: 'nothing' };

/** Every decision about a call, whoever takes it, changed in the same way. */
function everyCall(change: (decision: CallDecision) => CallAction): Partial<Rules> {
  const changed = (calls: CallDecision[]) => calls.map((call) => ({ ...call, action: change(call) }));
  return {
    decideCalls: (...given) => changed(PRODUCTION.decideCalls(...given)),
    decide: (...given) => {
      const action = PRODUCTION.decide(...given);
      return 'calls' in action ? { ...action, calls: changed(action.calls) } : action;
    },
    decideSweep: (...given) => {
      const action = PRODUCTION.decideSweep(...given);
      return action.do === 'finish' ? { ...action, calls: changed(action.calls) } : action;
    },
  };
}

const isUnknown = (action: CallAction) =>
  action.do === 'settle' && action.outcome.error?.error_type === 'OutcomeUnknown';

/** Inserts the outcome where the rules say to compete for the claim first. */
const withoutCompeting = everyCall(({ action }) =>
  action.do === 'compete' ? { do: 'settle', outcome: action.outcome } : action,
);

/** The order of things: what a process does before what. */
const ORDER: Mutant[] = [
  slip('publish before commit', 'publish_before_commit', waits, 'no effect of an uncommitted step'),
  slip(
    'effect without claim',
    'start_without_claim',
    waits,
    'no outcome without a claim',
    'once starts once',
  ),
  slip('result recorded before the effect', 'outcome_before_effect', waits, 'no result without a run'),
  slip(
    'result taken from a hint',
    'result_believed_from_hint',
    waits,
    'no final answer before the call has ended',
  ),
  slip(
    'result hinted before it is recorded',
    'hint_before_outcome',
    { ...waits, ...calm },
    'an end stays reachable',
  ),
  slip(
    'result recorded and not hinted',
    'no_hint_after_outcome',
    { ...waits, ...calm },
    'an end stays reachable',
  ),
  slip(
    'Stop acknowledged before the calls are claimed',
    'acked_before_release',
    {},
    'no start after an acknowledged Stop',
  ),
  slip('Stop that claims no calls', 'stop_without_release', {}, 'no start after an acknowledged Stop'),
  slip(
    'Stop that gives up when it loses the row',
    'lost_cancel_given_up',
    {},
    'an acknowledged Stop has ended the turn',
  ),
  slip(
    'a lost step inserted under the next number',
    'lost_step_moved_on',
    {},
    'no final answer before the call has ended',
    'one end per turn',
  ),
  slip(
    'content removed while calls are open',
    'removed_with_open_calls',
    { ...deletes, ...alone },
    'no start after an acknowledged Stop',
  ),
  slip(
    'the ledger: effect before the answer',
    'started_unanswered',
    { user: 'waits', ledger: true },
    'no outcome without a claim',
    'once starts once',
  ),
  slip(
    'the ledger: a repeated request is another one',
    'asked_anew',
    { user: 'waits', ledger: true, alone: true },
    'an end stays reachable',
  ),
];

/** Every decision is an insert that exactly one process wins. */
const INSERTS: Mutant[] = [
  slip(
    'claim written over',
    'claim_upserted',
    waits,
    'once starts once',
    'no start under a claim that came too late',
  ),
  slip('step written over', 'step_upserted', waits, 'one row per number'),
  slip('outcome written over', 'outcome_upserted', {}, 'one outcome per call'),
  slip('cancel row under a key of its own', 'cancel_under_own_key', {}, 'one end per turn'),
  slip(
    'claims removed with the content',
    'claims_removed',
    { ...deletes, ...alone },
    'no start after an acknowledged Stop',
    'no outcome without a claim',
  ),
  slip(
    'numbers of steps removed with the content',
    'step_ids_removed',
    { ...deletes, ...alone },
    'no start after an acknowledged Stop',
  ),
  slip(
    'a claim with the own name counts as won',
    'claim_of_own_name_taken',
    { ...waits, oneWorker: true },
    'once starts once',
    'no start under a claim that came too late',
  ),
];

/** Claim and settle: who may run a call, and again. */
const CALLS: Mutant[] = [
  rule(
    'once run again',
    { decideLostClaim: (found, work) => PRODUCTION.decideLostClaim(found, { ...work, class: 'idempotent' }) },
    waits,
    'once starts once',
  ),
  rule(
    'once run again when its tool was lost',
    { decideLostConnection: (run) => PRODUCTION.decideLostConnection({ ...run, class: 'idempotent' }) },
    waits,
    'once starts once',
  ),
  rule(
    'attempt 2 without the re-read',
    { decideAfterReclaim: () => 'run' },
    { ...waits, ...idempotent },
    'no start under a claim that came too late',
  ),
  rule(
    'attempt 2 re-reads the outcome, not the end',
    { decideAfterReclaim: (read) => PRODUCTION.decideAfterReclaim({ ...read, next: null }) },
    { ...idempotent, ...alone },
    'no start under a claim that came too late',
  ),
  rule(
    'attempts without end',
    {
      decideLostClaim: (found, work) => {
        const action = PRODUCTION.decideLostClaim(found, work);
        const holder = found.claims.at(-1);
        const isLost = holder && work.liveness(holder.owner) !== 'alive';
        return action.do === 'ignore' && isLost ? { do: 'claim_again', attempt: holder.n + 1 } : action;
      },
    },
    { ...waits, ...idempotent },
    'at most three attempts',
  ),
  rule(
    'a once call of a dead worker left open',
    everyCall(({ action }) => (isUnknown(action) ? NOTHING : action)),
    waits,
    'an end stays reachable',
  ),
  rule(
    'unknown without a claim',
    everyCall(({ action, step }) =>
      action.do === 'publish'
        ? { do: 'settle', outcome: { ...unknown, _id: step.calls[0]!.tool_call_id } }
        : action,
    ),
    waits,
    'no outcome without a claim',
  ),
  rule(
    'stopped before a later start, settled as never run',
    {
      decideStopped: (...given) => {
        const next = PRODUCTION.decideStopped(...given);
        return next.do === 'settle' ? { ...next, error: neverStarted() } : next;
      },
    },
    { ...idempotent, ...alone },
    'a call that ends as never run was never started',
  ),
];

const unknown = {
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  n: 1,
  ...completeResult({ status: 'failure', error: mayHaveRun() }),
  attempt: 0,
  worker: 'orchestrator-1',
  duration_ms: 0,
  at: '2026-01-01T00:00:00.000Z',
};

/** Stop, deadlines, no worker: giving up competes for the claim. */
const GIVING_UP: Mutant[] = [
  rule('a stopped call settled without competing', withoutCompeting, {}, 'no outcome without a claim'),
  rule(
    'a late call settled without competing',
    withoutCompeting,
    { ...waits, clocks: true },
    'no outcome without a claim',
  ),
  rule(
    'no worker: settled without competing',
    {
      decideNotTaken: (...given) => {
        const action = PRODUCTION.decideNotTaken(...given);
        return action.do === 'compete' ? { do: 'settle', outcome: action.outcome } : action;
      },
    },
    { ...waits, clocks: true },
    'no outcome without a claim',
  ),
  rule(
    'no worker: settled as never run, whatever the claims',
    {
      decideNotTaken: (journal, open, notTaken, by) => {
        const action = PRODUCTION.decideNotTaken({ ...journal, claims: [] }, open, notTaken, by);
        return action.do === 'compete' ? { do: 'settle', outcome: action.outcome } : action;
      },
    },
    { ...waits, ...idempotent, clocks: true },
    'no outcome without a claim',
    'a call that ends as never run was never started',
  ),
  rule(
    'settle claim that states no outcome',
    { settleClaim: (outcome, owner) => ({ ...PRODUCTION.settleClaim(outcome, owner), decides: undefined }) },
    alone,
    'an end stays reachable',
  ),
  rule(
    'settle claim completed by its owner only',
    {
      ...everyCall(({ action }) => (action.do === 'settle' && !isUnknown(action) ? NOTHING : action)),
      decideLostClaim: (...given) => {
        const action = PRODUCTION.decideLostClaim(...given);
        return action.do === 'settle' ? { do: 'ignore' } : action;
      },
    },
    alone,
    'an end stays reachable',
  ),
  rule(
    'a lost competition taken for won',
    { decideAfterCompeting: (_stands, wanted) => ({ do: 'settle', outcome: wanted }) },
    { ...waits, clocks: true },
    'a call that ends as never run was never started',
  ),
  rule(
    'calls of a stopped turn continue',
    {
      decideCalls: (journal, situation) => PRODUCTION.decideCalls(journal, { ...situation, stopped: false }),
    },
    {},
    'no start after an acknowledged Stop',
  ),
  rule(
    'the calls of a stopped turn not ended',
    everyCall(({ action }) => (action.do === 'compete' || action.do === 'settle' ? NOTHING : action)),
    alone,
    'no start after an acknowledged Stop',
    'an end stays reachable',
  ),
  rule(
    'the owner of a stopped call is not told',
    {
      ...everyCall(({ action }) => (action.do === 'cancel' ? NOTHING : action)),
      decideAfterCompeting: (...given) => {
        const next = PRODUCTION.decideAfterCompeting(...given);
        return next.do === 'cancel' ? { do: 'leave' } : next;
      },
    },
    { endless: true, ...alone },
    'an end stays reachable',
  ),
];

/** Calls that their drivers hold back. */
const HELD: Mutant[] = [
  slip(
    'a held call given up by its driver alone',
    'held_call_given_up_alone',
    { ...waits, ...alone, holds: true },
    'no outcome without a claim',
  ),
  slip(
    'a held call never published',
    'held_for_ever',
    { ...waits, ...calm, holds: true },
    'an end stays reachable',
  ),
];

/** Turns: driving, taking over, sweeping. */
const TURNS: Mutant[] = [
  {
    variant: variant('no sweeper', { ...waits, ...alone, sweeper: false }),
    caughtBy: ['an end stays reachable'],
  },
  {
    variant: variant('no sweeper, Stop', { ...alone, sweeper: false }),
    caughtBy: ['an end stays reachable'],
  },
  rule(
    'a turn never claimed again',
    {
      decideTakeUp: (...given) => {
        const next = PRODUCTION.decideTakeUp(...given);
        return next.do === 'claim' && next.attempt > 1 ? { do: 'pass_on', driver: 'process-0' } : next;
      },
    },
    waits,
    'an end stays reachable',
  ),
  rule(
    'a forgotten turn passed on to the same orchestrator',
    { decideTakeUp: (journal, _me, liveness) => PRODUCTION.decideTakeUp(journal, 'nobody', liveness) },
    waits,
    'an end stays reachable',
  ),
  rule(
    'a driven turn claimed instead of passed on',
    { decideTakeUp: (journal) => ({ do: 'claim', attempt: journal.claims.length + 1 }) },
    { ...waits, ...calm },
    'one driver unless a process is suspected',
  ),
  rule(
    'the model called while a call is open',
    {
      decide: (...given) => {
        const action = PRODUCTION.decide(...given);
        return action.do === 'await_calls' ? { do: 'call_model', n: 2 } : action;
      },
    },
    waits,
    'no final answer before the call has ended',
  ),
  rule(
    'a deleted conversation driven on',
    { decide: (journal, situation) => PRODUCTION.decide(journal, { ...situation, deleted: false }) },
    { ...deletes, ...alone },
    'no model call for a deleted conversation',
  ),
  rule('a turn forgotten with open calls', { isSettled: () => true }, alone, 'an end stays reachable'),
  rule(
    'ended turns not swept',
    {
      decideSweep: (...given) => {
        const action = PRODUCTION.decideSweep(...given);
        return action.do === 'finish' ? { do: 'leave' } : action;
      },
    },
    alone,
    'an end stays reachable',
  ),
];

export const MUTANTS: Mutant[] = [
  ...ORDER,
  ...INSERTS,
  ...CALLS,
  ...GIVING_UP,
  ...STOPPED,
  ...HELD,
  ...TURNS,
];

/** Rules that only save work: without them every promise holds. */
export const HARMLESS: Variant[] = [
  variant('a superseded driver continues', { ...waits, rules: { isSuperseded: () => false } }),
  // Nothing publishes a call before its commit; this is a second lock.
  variant('attempt 2 does not look for the step that asks', {
    ...waits,
    ...idempotent,
    ...alone,
    rules: { decideAfterReclaim: ({ outcome }) => (outcome ? 'settled' : 'run') },
  }),
  variant('a late call is not refused by its worker', {
    ...waits,
    ...alone,
    clocks: true,
    rules: { decideDelivery: () => ({ do: 'claim' }) },
  }),
];
