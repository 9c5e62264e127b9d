import type { Response } from 'express';
import { yieldToEventLoop, type Clock } from '#time';
import type { RequestError } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import { drained } from '../../http/drained.js';
import type { TurnNews, TurnStream } from './turn-stream.js';

/** Some proxies cut silent connections. */
const KEEP_ALIVE_MS = 15_000;

/**
 * The stream ends with the response, whatever closes it: a client that leaves, the end of the answer, an error on the
 * way to it. To be called as soon as there is a stream.
 */
export function endWith(response: Response, stream: TurnStream): void {
  response.once('close', () => stream.close());
  if (response.closed) stream.close();
}

/**
 * Writes a turn on a response, each string that `write` makes of a news with one write to the network, and ends it
 * with the turn. The next one is taken when the client has room for it; a client that leaves ends the stream and stops
 * nothing. Status and headers are set before, and sent at once. `keepAlive` is sent after 15 s of silence; `broken` is
 * the last that is said when the turn cannot be followed to its end.
 */
export async function streamResponse(
  response: Response,
  stream: TurnStream,
  {
    clock,
    write,
    keepAlive,
    broken,
  }: {
    clock: Clock;
    write(news: TurnNews): string[] | Promise<string[]>;
    keepAlive?: string;
    broken?(error: RequestError): string[];
  },
): Promise<void> {
  endWith(response, stream);
  response.flushHeaders();
  // Small chunks must not wait for each other.
  response.socket?.setNoDelay(true);
  const beSilent = () =>
    clock.every(KEEP_ALIVE_MS, () => {
      if (keepAlive !== undefined && !response.writableNeedDrain) response.write(keepAlive);
    });
  let silence = beSilent();
  try {
    for await (const news of stream)
      for (const chunk of await write(news)) {
        silence.cancel();
        silence = beSilent();
        if (!response.write(chunk)) await drained(response);
        // Node combines writes of one turn of the event loop, so a reader might get half of an event.
        await yieldToEventLoop(clock);
      }
  } catch (error) {
    for (const chunk of broken?.(toRequestError(error)) ?? []) response.write(chunk);
    throw error;
  } finally {
    silence.cancel();
    response.end();
  }
}
