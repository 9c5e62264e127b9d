import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '#observability';
import type { Time } from '#time';

const HEADER = 'X-Request-Id';
/** What a caller may choose: it stands in log lines and in a header. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Gives each request an id, the caller's own if it is a sane one, on its answer and in the log. It is not part of a
 * body: answers about what is missing and what is somebody else's must be the same.
 */
export function nameRequests(log: Pick<Logger, 'debug'>, { clock, random }: Time) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && SANE.test(given) ? given : random.id();
    response.setHeader(HEADER, id);
    const startedAt = clock.now();
    const { method, path } = request;
    response.once('close', () => {
      const { statusCode: status, writableFinished: isWhole } = response;
      const duration_ms = Math.round(clock.now() - startedAt);
      log.debug({ request_id: id, method, path, status, duration_ms, isWhole }, 'request answered');
    });
    next();
  };
}

/** The id that `nameRequests` gave. */
export function requestIdOf(response: Response): string | undefined {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? id : undefined;
}
