import type { Journal } from '#contracts';
import { claimsOn } from '../journal/journal.js';
import { DEFAULT_BUDGETS, type Budgets } from './budgets.js';
import type { Liveness } from './liveness.js';

/** How a process that got a hint takes up a turn (docs/architecture.md, "Claim and settle"). */
export type TakeUp =
  | { do: 'claim'; attempt: number }
  /** Send the hint to the driver's control queue. */
  | { do: 'pass_on'; driver: string };

/**
 * `driver` is the owner of the highest attempt. If this process is the driver but has no memory of the turn, it lost
 * the turn in a restart of its consumer: claim again.
 */
export function decideTakeUp(
  journal: Journal,
  me: string,
  liveness: (processId: string) => Liveness,
): TakeUp {
  const holder = claimsOn(journal, journal.turn._id).at(-1);
  if (!holder) return { do: 'claim', attempt: 1 };
  if (holder.owner === me || liveness(holder.owner) !== 'alive')
    return { do: 'claim', attempt: holder.n + 1 };
  return { do: 'pass_on', driver: holder.owner };
}

/** True when another claim on the turn exists after the claim by which this process drives it: stop driving. */
export function isSuperseded(journal: Journal, claimAttempt: number): boolean {
  return (claimsOn(journal, journal.turn._id).at(-1)?.n ?? 0) > claimAttempt;
}

/**
 * True after several claims (5) within a short time of each other (60 s) without a new step, outcome or answer:
 * something kills every driver.
 */
export function isThrashing(
  journal: Journal,
  { takeovers, takeoverWindowMs }: Pick<Budgets, 'takeovers' | 'takeoverWindowMs'> = DEFAULT_BUDGETS,
): boolean {
  const claims = claimsOn(journal, journal.turn._id).slice(-takeovers);
  const [first] = claims;
  if (claims.length < takeovers || !first) return false;
  const since = Date.parse(first.at);
  const gaps = claims
    .slice(1)
    .every((claim, i) => Date.parse(claim.at) - Date.parse(claims[i]!.at) < takeoverWindowMs);
  const progress = [...journal.steps, ...journal.outcomes, ...journal.answers].some(
    (row) => Date.parse(row.at) >= since,
  );
  return gaps && !progress;
}

/** 100 × the turn's claim attempt + retry: grows with every restart of a step, whichever process restarts it. */
export function stepAttempt(claimAttempt: number, retry: number): number {
  return 100 * claimAttempt + Math.min(retry, 99);
}
