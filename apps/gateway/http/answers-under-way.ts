import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';

/**
 * Remembers the answers that have not gone out yet. The returned function waits for those of its moment, at most
 * `timeoutMs`: `server.close()` cuts an answer that has been written and is still being taken by its client.
 */
export function trackAnswers(server: Server): (timeoutMs: number) => Promise<void> {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return async (timeoutMs) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const goneOut = [...underWay].map((response) => once(response, 'close', { signal }));
    await Promise.allSettled(goneOut);
  };
}
