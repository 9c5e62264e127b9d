import type { Request, Response } from 'express';
import { sendProblem, statusOf } from '../../errors/problem.js';
import type { RequestError } from '../../errors/request-error.js';
import type { DialectWire } from './dialect-wire.js';

/** `status` overrides the code's own. */
export type SendError = (request: Request, response: Response, error: RequestError, status?: number) => void;

/** Refusals in the form of the path's owner: a dialect, or the client protocol (problem documents). */
export function createErrorSender(dialects: readonly DialectWire[]): SendError {
  return (request, response, error, status = statusOf(error)) => {
    if (response.headersSent) return void response.end();
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    if (error.retryAfterMs !== undefined)
      response.setHeader('Retry-After', Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    const owner = dialects.find((dialect) => dialect.owns(request.path));
    if (owner) owner.sendError(response, error, status);
    else sendProblem(response, error, status);
  };
}
