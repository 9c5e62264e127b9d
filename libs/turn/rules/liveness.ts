import type { Claim } from '#contracts';

/** What is known of a process. `suspect` is enough to rerun a call that may run again; only `dead` allows `unknown`. */
export type Liveness = 'alive' | 'suspect' | 'dead';

/** Why the owner of the claim before counts as lost, for the claim that follows it. */
export function evidenceOf(owner: string, liveness: Liveness, me: string): Claim['evidence'] {
  if (owner === me) return 'forgotten';
  return liveness === 'alive' ? undefined : liveness;
}
