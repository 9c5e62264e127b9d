import type { IncomingMessage } from 'node:http';
import type { User } from './user.js';

export interface KnownRequest {
  user: User;
  /** From then on it counts as one of its user's streams, no longer as one of his requests. */
  endCount(): void;
  /** Takes one more place for it, until the returned function is called. Throws `RequestError`. */
  enterAgain(): () => void;
}

const known = new WeakMap<IncomingMessage, KnownRequest>();

/** Records the owner of a request's token when the request takes its place. */
export function rememberUser(request: IncomingMessage, one: KnownRequest): void {
  known.set(request, one);
}

/** The user of a request on arrival, before its body was read; undefined for a stranger. Routes check again. */
export function knownUserOf(request: IncomingMessage): User | undefined {
  return known.get(request)?.user;
}

export function countAsStream(request: IncomingMessage): void {
  known.get(request)?.endCount();
}

/** For a request that contains several: each takes a place. */
export function enterAgain(request: IncomingMessage): () => void {
  return known.get(request)?.enterAgain() ?? (() => undefined);
}
