import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Heard = [request: IncomingMessage, ...more: unknown[]];

/** Stands between a server and those who listen to it now: they hear of an event when `judge` hands it on. */
export function standBefore<Event extends Heard>(
  server: Server,
  name: 'request' | 'upgrade',
  judge: (event: Event, handOn: () => void) => void,
): void {
  const listeners = server.rawListeners(name) as ((...event: Heard) => void)[];
  server.removeAllListeners(name);
  server.on(name, (...event: unknown[]) =>
    judge(event as Event, () => {
      for (const listener of listeners) listener.apply(server, event as Event);
    }),
  );
}

/**
 * Begins an answer when those before it on its connection have gone out; never, when the connection ends before. Node
 * closes only the response that has the connection: whatever waits for `close` of one in line would wait for ever.
 */
export function beginInTurn(response: ServerResponse, begin: () => void): void {
  const beginIfThere = () => {
    if (response.socket?.destroyed === false) begin();
  };
  if (response.socket) beginIfThere();
  // Node is in the middle of handing the connection over.
  else response.once('socket', () => process.nextTick(beginIfThere));
}
