import type { User } from './user.js';

/** How long somebody who is shut out may stay connected. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Calls `onShutOut` when the user's token has ended, and soon after the user was shut out, unless it is stopped before.
 * `isActive`: whether who came in before may still be here.
 */
export function watchUser(
  user: User,
  isActive: (user: User) => Promise<boolean>,
  onShutOut: () => void,
): () => void {
  const { expiresAtMs } = user;
  if (expiresAtMs === undefined) return () => undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const leftMs = Math.max(0, expiresAtMs - Date.now());
    timer = setTimeout(() => void look(), Math.min(leftMs, LOOK_AGAIN_MS)).unref();
  };
  const look = async (): Promise<void> => {
    // A store that is away shuts nobody out.
    const mayStay = Date.now() < expiresAtMs && (await isActive(user).catch(() => true));
    if (isStopped) return;
    if (mayStay) wait();
    else onShutOut();
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
