import { askedCall, hasEnded, type CallRows, type State } from './state.js';
import type { Variant } from './variant.js';
import { isExplained } from './wait-reasons.js';

/** What Switchyard promises, as it is checked in every state (the first group) or at the move that would break it. */
export type PromiseName =
  | 'once starts once'
  | 'at most three attempts'
  | 'no result without a run'
  | 'a call that ends as never run was never started'
  | 'no outcome without a claim'
  | 'unknown only for a call that was claimed to run'
  | 'one end per turn'
  | 'no final answer before the call has ended'
  | 'an acknowledged Stop has ended the turn'
  | 'one driver unless a process is suspected'
  | 'a turn that is not over has a reason to wait'
  // At a move:
  | 'no effect of an uncommitted step'
  | 'no start after an acknowledged Stop'
  | 'no start under a claim that came too late'
  | 'no model call for a deleted conversation'
  | 'unknown only when no owner can tell the outcome'
  | 'one outcome per call'
  | 'one row per number'
  // Of the whole graph:
  | 'an end stays reachable';

/** Ends that say that the tool was never started. */
const NEVER_RAN = ['never_started', 'too_late', 'no_worker'];

/** The first promise that this state breaks. */
export function brokenIn(state: State, variant: Variant): PromiseName | undefined {
  return (
    brokenByCall(state.a, variant) ??
    brokenByCall(state.b, variant) ??
    brokenByTurn(state) ??
    brokenByProcesses(state, variant) ??
    (isExplained(state, variant) ? undefined : 'a turn that is not over has a reason to wait')
  );
}

function brokenByCall(call: CallRows, { toolClass }: Variant): PromiseName | undefined {
  const { attempt, purpose, outcome, starts } = call;
  if (toolClass === 'once' && starts > 1) return 'once starts once';
  if (attempt > 3) return 'at most three attempts';
  if (outcome === 'none') return undefined;
  if (attempt === 0) return 'no outcome without a claim';
  if (outcome === 'unknown' && purpose !== 'run') return 'unknown only for a call that was claimed to run';
  if (outcome === 'done' && starts === 0) return 'no result without a run';
  return starts > 0 && NEVER_RAN.includes(outcome)
    ? 'a call that ends as never run was never started'
    : undefined;
}

function brokenByTurn({ turn, a, b, gateway }: State): PromiseName | undefined {
  const { step1, step2 } = turn;
  if (step2 === 'both') return 'one end per turn';
  const isKept = turn.conversation !== 'removed';
  if (isKept && (step1 === 'cancel' || step1 === 'fail') && step2 !== 'none') return 'one end per turn';
  const asked = askedCall(turn);
  if (step2 === 'final' && asked && (asked === 'a' ? a : b).outcome === 'none')
    return 'no final answer before the call has ended';
  return gateway.acked !== 'no' && isKept && !hasEnded(turn)
    ? 'an acknowledged Stop has ended the turn'
    : undefined;
}

function brokenByProcesses({ o1, o2 }: State, { faults }: Variant): PromiseName | undefined {
  if (faults) return undefined;
  const drives = [o1, o2].filter(({ at }) => at === 'driving' || at === 'committing');
  return drives.length > 1 ? 'one driver unless a process is suspected' : undefined;
}

/** Nothing is left to do: what must be reachable from every state without a fault and without a user. */
export function isGoal({ turn, a, b, gateway }: State, variant: Variant): boolean {
  const asked = askedCall(turn);
  const calls = asked === undefined ? [] : [asked === 'a' ? a : b];
  const isEnded = hasEnded(turn) && turn.told && calls.every(({ outcome }) => outcome !== 'none');
  if (variant.user === 'deletes' && turn.conversation !== 'kept')
    return turn.conversation === 'removed' && a.outcome === 'none' && b.outcome === 'none';
  // Of a tool that never ends only Stop is promised to end.
  if (variant.endless && !hasEnded(turn)) return true;
  if (variant.sweeper && variant.timers) return isEnded && !turn.due;
  return isEnded && gateway.at === 'idle';
}

/** How a turn ended, in two words, for the guard against a model in which nothing happens. */
export function endIn({ turn, a, b }: State): string {
  if (turn.conversation === 'removed') return 'removed';
  const asked = askedCall(turn);
  if (!asked) return `${turn.step1}@1`;
  return `${turn.step2 === 'final' ? 'final' : `${turn.step2}@2`}/${(asked === 'a' ? a : b).outcome}`;
}
