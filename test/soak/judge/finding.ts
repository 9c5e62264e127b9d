/** What a finding breaks; each is a goal of its own, and every goal is zero. */
export type Goal =
  | 'lost'
  | 'doubled'
  | 'unjustified unknown'
  | 'transcript difference'
  | 'characters lost or repeated'
  | 'broken rule'
  | 'complaint';

export interface Finding {
  goal: Goal;
  what: string;
}
