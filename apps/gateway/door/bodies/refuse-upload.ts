import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#time';

/** For clients that read an answer only once they have sent. */
const LINGER_MS = 1_000;

/**
 * Lets a request be answered before its body has come: what has not been read by then never is, and the connection ends
 * with the answer. To be called before anything is done for the request.
 */
export function allowEarlyAnswer(clock: Clock, request: IncomingMessage, response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = function (...head: unknown[]) {
    response.writeHead = writeHead;
    if (!request.complete) refuseUpload(clock, request, response);
    // Otherwise the next request of the connection would wait until this one is read.
    else if (request.isPaused()) request.resume();
    return writeHead.apply(response, head as Parameters<typeof writeHead>);
  };
}

/**
 * Ends the connection with the answer, which is about to be written. Nothing more is read from it, so that the rest of
 * the body costs nothing; it is broken a second later, because a client loses an answer that comes with a reset.
 */
function refuseUpload(clock: Clock, request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader('Connection', 'close');
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    clock.after(LINGER_MS, () => socket.destroy(), { unref: true });
  };
  request.pause();
  // Node reads to the end what nobody has begun to read; asking for nothing is no beginning while the buffer is full.
  request.read();
}
