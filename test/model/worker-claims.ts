import type { Liveness } from '#turn';
import { claimsOf, endOf, outcomeOf, processId } from './journal-of.js';
import type { Moves } from './moves.js';
import type { CallName, CallRows, Change, Worker, WorkerAt } from './state.js';
import { at, hinted, settle } from './worker-hints.js';

/** By which name its claims go: two deliveries of one process share it. */
export const nameOf = (moves: Moves, me: Worker): Worker => (moves.variant.oneWorker ? 'w1' : me);

/** What stood already when the claim was inserted. */
export function lateness(moves: Moves, call: CallRows): Pick<WorkerAt, 'late'> {
  if (moves.state.gateway.acked !== 'no') return { late: 'after_stop' };
  return { late: call.outcome === 'none' ? 'no' : 'after_outcome' };
}

/** The owners after a new claim: those before are not forgotten. */
export function ownedBy(
  call: CallRows,
  owner: Worker | 'gone',
): Pick<CallRows, 'owner' | 'earlier' | 'lost'> {
  const { earlier, lost } = call;
  if (call.owner === 'gone') return { owner, earlier: earlier === owner ? 'none' : earlier, lost: true };
  const other = call.owner === 'w1' || call.owner === 'w2' ? call.owner : 'none';
  return { owner, earlier: other === owner || other === 'none' ? earlier : other, lost };
}

/** The rows as attempt 1 makes them. */
export function firstClaim(moves: Moves, call: CallRows, owner: Worker | 'gone'): CallRows {
  const attempt = Math.max(1, call.attempt);
  return moves.withoutHistory({ ...call, attempt, ...ownedBy(call, owner), purpose: 'run', decides: 'none' });
}

/** Attempt 1 was another's: read what stands, and do what the rules say. */
export function judgeLost(moves: Moves, me: Worker, name: CallName, how: string, taken: Change): void {
  const { rules, state, variant } = moves;
  const call = state[name];
  for (const { says, kind } of moves.judge(call.purpose === 'run' ? call.owner : 'none')) {
    const found = {
      claims: claimsOf(name, call),
      outcome: call.outcome === 'none' ? null : outcomeOf(name, call.outcome),
    };
    const work = { class: variant.toolClass, me: processId(me), liveness: (): Liveness => says };
    const action = moves.remember(`lost|${call.id}|${me}|${says}`, () => rules.decideLostClaim(found, work));
    switch (action.do) {
      case 'hint':
        moves.go(`${how}: it has ended, hints`, { ...hinted(moves, taken) }, kind);
        break;
      case 'ignore':
        moves.go(`${how}: claimed, drops it`, taken, kind);
        break;
      case 'settle':
        settle(moves, me, name, endOf(action.outcome), `${how} with a settle claim`, taken);
        break;
      case 'claim_again':
        moves.go(`${how}: owner seems dead`, { ...taken, [me]: at('claiming', name, action.attempt) }, kind);
    }
  }
}
