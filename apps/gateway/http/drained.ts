import type { Response } from 'express';

/** Resolves when the client has room for more, or has disconnected. */
export function drained(response: Response): Promise<void> {
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
