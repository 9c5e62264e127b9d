import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface HttpEvents {
  request: [request: IncomingMessage, response: ServerResponse];
  upgrade: [request: IncomingMessage, socket: Duplex, head: Buffer];
}

/** Stands between a server and those who listen to it now: they hear of an event when `judge` hands it on. */
export function interceptEvents<Name extends keyof HttpEvents>(
  server: Server,
  name: Name,
  judge: (event: HttpEvents[Name], handOn: () => void) => void,
): void {
  const listeners = server.rawListeners(name) as ((...event: unknown[]) => void)[];
  server.removeAllListeners(name);
  server.on(name, (...event: unknown[]) =>
    judge(event as HttpEvents[Name], () => {
      for (const listener of listeners) listener.apply(server, event);
    }),
  );
}

/**
 * Begins an answer when those before it on its connection have gone out; never, when the connection ends before. Node
 * closes only the response that has the connection: whatever waits for `close` of one in line would wait for ever.
 */
export function beginInOrder(response: ServerResponse, begin: () => void): void {
  const beginIfThere = () => {
    if (response.socket?.destroyed === false) begin();
  };
  if (response.socket) beginIfThere();
  // Node is in the middle of handing the connection over.
  else response.once('socket', () => process.nextTick(beginIfThere));
}
