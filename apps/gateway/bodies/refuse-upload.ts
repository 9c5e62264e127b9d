import type { Request, Response } from 'express';

/** For clients that read an answer only once they have sent. */
const LINGER_MS = 1_000;

/**
 * Answers a request whose body is not read, and ends its connection. Nothing more is read from it, so that the rest of
 * the body costs nothing; it is broken a second later, because a client loses an answer that comes with a reset.
 */
export function refuseUpload(request: Request, response: Response, answer: () => void): void {
  const { socket } = request;
  if (!response.headersSent) response.setHeader('Connection', 'close');
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  request.pause();
  // Node reads to the end what nobody has begun to read; asking for nothing is no beginning while the buffer is full.
  request.read();
  answer();
}
