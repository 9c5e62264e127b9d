import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { settledWithin, type Clock } from '#time';

/**
 * Remembers the answers that have not gone out yet. The returned function waits for those of its moment, at most
 * `timeoutMs`: `server.close()` cuts an answer that has been written and is still being taken by its client.
 */
export function trackAnswers(server: Server, clock: Clock): (timeoutMs: number) => Promise<void> {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return async (timeoutMs) => {
    const goneOut = [...underWay].map((response) => once(response, 'close'));
    await settledWithin(clock, Promise.allSettled(goneOut), timeoutMs);
  };
}
