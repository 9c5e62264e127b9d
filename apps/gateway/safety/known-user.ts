import type { IncomingMessage } from 'node:http';
import type { User } from '../auth/user.js';

interface Known {
  user: User;
  endCount: () => void;
}

const known = new WeakMap<IncomingMessage, Known>();

/** Notes whose token a request has, as it takes its place. */
export function rememberUser(request: IncomingMessage, user: User, endCount: () => void): void {
  known.set(request, { user, endCount });
}

/** Whose request it was when it came in, before its body was read; undefined for a stranger. Routes ask again. */
export function knownUserOf(request: IncomingMessage): User | undefined {
  return known.get(request)?.user;
}

/** From now on it counts as one of its user's streams, no longer as one of his requests. */
export function countAsStream(request: IncomingMessage): void {
  known.get(request)?.endCount();
}
