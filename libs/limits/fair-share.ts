/** What everybody may have at once, however small the share. */
export const LEAST_SHARE = 2;

/** One user and a queue whose places all users share. */
export interface QueueUse {
  /** What may run at once; 0: not known. */
  places: number;
  /** What waits and runs, of everybody. */
  inAll: number;
  /** What of it is this user's. */
  own: number;
  /** Users of whom something waits, runs or is held back, this one included. */
  users: number;
  /** From 0 to 1: the part of the places that one user may have while something waits; 1: no limit. */
  share: number;
}

/**
 * Whether one more of a user may enter. Nothing waits: everybody may. Otherwise only up to his part of the places;
 * and a user who is alone may keep a few waiting, so that no place is empty between two of his.
 */
export function mayEnter(use: QueueUse): boolean {
  const { places, inAll, own, users, share } = use;
  if (places <= 0 || share >= 1) return true;
  const waiting = inAll - places;
  if (waiting <= 0) return true;
  if (own < partOf(use)) return true;
  return users <= 1 && waiting < shareOf(places, share);
}

/** What one user may have while something waits: a share of the places, or less when they are divided by more users. */
export function partOf({ places, users, share }: Omit<QueueUse, 'inAll' | 'own'>): number {
  return shareOf(places, Math.min(share, 1 / Math.max(1, users)));
}

/** A share of a whole, and never less than everybody may have. */
export function shareOf(whole: number, share: number): number {
  return Math.max(LEAST_SHARE, Math.floor(whole * share));
}
