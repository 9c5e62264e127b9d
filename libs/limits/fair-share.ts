/** The number that every user may have at once, however small the share. */
export const LEAST_SHARE = 2;

/** One user and a queue whose places all users share. */
export interface QueueUse {
  /** The number that may run at once; 0: unknown. */
  places: number;
  /** The number that waits and runs, of all users. */
  inAll: number;
  /** This user's part of that number. */
  own: number;
  /** The number of users with something waiting, running or held back, including this one. */
  users: number;
  /** From 0 to 1: the part of the places that one user may have while something waits; 1: no limit. */
  share: number;
}

/**
 * Whether one more entry of a user may enter. If nothing waits, every user's may. Otherwise a user may fill only a
 * share of the places. A user who is alone may keep a few waiting, so that no place is empty between two of them.
 */
export function mayEnter(use: QueueUse): boolean {
  const { places, inAll, own, users, share } = use;
  if (places <= 0 || share >= 1) return true;
  const waiting = inAll - places;
  if (waiting <= 0) return true;
  if (own < partOf(use)) return true;
  return users <= 1 && waiting < shareOf(places, share);
}

/**
 * The number that one user may have while something waits: a share of the places, or less when they are divided among
 * more users.
 */
export function partOf({ places, users, share }: Omit<QueueUse, 'inAll' | 'own'>): number {
  return shareOf(places, Math.min(share, 1 / Math.max(1, users)));
}

/** A share of a whole, and at least the number that every user may have. */
export function shareOf(whole: number, share: number): number {
  return Math.max(LEAST_SHARE, Math.floor(whole * share));
}
