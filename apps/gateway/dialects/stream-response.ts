import type { Response } from 'express';
import type { TurnNews, TurnStream } from './turn-stream.js';

/** A silent connection is cut by some proxies. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Writes a turn on a response, each string that `write` makes of a news with one call, and ends it with the turn. The
 * next news is taken when the client has room for it; a client that leaves ends the stream and stops nothing.
 * Status and headers are set before, and sent at once. `keepAlive` is sent after 15 s of silence.
 */
export async function streamResponse(
  response: Response,
  stream: TurnStream,
  { write, keepAlive }: { write(news: TurnNews): string[]; keepAlive?: string },
): Promise<void> {
  response.once('close', () => stream.close());
  response.flushHeaders();
  // Small chunks must not wait for each other.
  response.socket?.setNoDelay(true);
  const timer = setInterval(() => {
    if (keepAlive !== undefined && !response.writableNeedDrain) response.write(keepAlive);
  }, KEEP_ALIVE_MS);
  try {
    for await (const news of stream)
      for (const chunk of write(news)) {
        timer.refresh();
        if (!response.write(chunk)) await drained(response);
      }
  } finally {
    clearInterval(timer);
    response.end();
  }
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) return resolve();
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
