import type { Clock, Timer } from '#time';
import type { User } from './user.js';

/** A user who is shut out is disconnected within 30 s: this, and the age of what is read (`known-accounts.ts`). */
const RECHECK_MS = 20_000;

/**
 * Calls `onShutOut` when the user's token has expired, and soon after the user was shut out, unless it is stopped
 * before. `isActive`: whether a user who was admitted before may stay.
 */
export function watchUser(
  clock: Clock,
  user: User,
  isActive: (user: User) => Promise<boolean>,
  onShutOut: () => void,
): () => void {
  const { expiresAtMs = Infinity, sessionId } = user;
  if (expiresAtMs === Infinity && sessionId === undefined) return () => undefined;
  let isStopped = false;
  let timer: Timer | undefined;
  const wait = (): void => {
    const leftMs = Math.max(0, expiresAtMs - clock.wall());
    timer = clock.after(Math.min(leftMs, RECHECK_MS), () => void look(), { unref: true });
  };
  const look = async (): Promise<void> => {
    // An unreachable store shuts no user out.
    const mayStay = clock.wall() < expiresAtMs && (await isActive(user).catch(() => true));
    if (isStopped) return;
    if (mayStay) wait();
    else onShutOut();
  };
  wait();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}
