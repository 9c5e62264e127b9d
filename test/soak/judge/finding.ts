import type { Invariant } from '#turn';

/** What a finding breaks; each is a goal of its own, and every goal is zero. */
export type Goal =
  | 'lost'
  | 'doubled'
  | 'unjustified unknown'
  | 'transcript difference'
  | 'characters lost or repeated'
  | 'broken rule'
  | 'complaint';

const DOUBLED: readonly Invariant[] = ['one_end', 'once_claimed_once'];

export function goalOf(invariant: Invariant): Goal {
  return DOUBLED.includes(invariant) ? 'doubled' : 'broken rule';
}

export interface Finding {
  goal: Goal;
  what: string;
}
