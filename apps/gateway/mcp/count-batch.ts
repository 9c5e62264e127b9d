import type { Request, Response } from 'express';
import type { OpenLimit } from '../limits/open-limit.js';
import { enterAgain } from '../people/auth/known-user.js';

/**
 * A JSON-RPC batch counts as that many requests: after the first, each takes a place and counts as a stream of its user
 * until the response is closed. Throws `RequestError` when the user, or the gateway, has fewer left; then nothing is
 * counted.
 */
export function countBatch(
  userId: string,
  request: Request,
  response: Response,
  streams: Pick<OpenLimit, 'enter'>,
): void {
  const body: unknown = request.body;
  const more = Array.isArray(body) ? body.length - 1 : 0;
  const leaves: (() => void)[] = [];
  const leaveAll = () => {
    for (const leave of leaves.splice(0)) leave();
  };
  try {
    for (let count = 0; count < more; count++) {
      leaves.push(streams.enter(userId));
      leaves.push(enterAgain(request));
    }
  } catch (error) {
    leaveAll();
    throw error;
  }
  if (response.closed) leaveAll();
  else response.once('close', leaveAll);
}
