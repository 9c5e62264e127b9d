import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '#observability';
import type { Time } from '#time';

const HEADER = 'X-Request-Id';
/** The ids that a caller may choose, because they appear in log lines and in a header. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Gives each request an id in its response header and in the log: the caller's id if it is valid, or else a new one.
 * The id is not part of a body, so that the answers about missing objects and other users' objects are identical.
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

/** The id that `nameRequests` assigned. */
export function requestIdOf(response: Response): string | undefined {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? id : undefined;
}
