import type { NextFunction, Request, Response } from 'express';
import { RequestError } from '../errors/request-error.js';
import type { HttpOptions } from './http-options.js';
import { isAlwaysServed } from './always-served.js';

const FULL_RETRY_MS = 1_000;

/** Requests at once; the rest is told to come again. */
export function limitRequests({ maxRequests, sendError }: HttpOptions) {
  let open = 0;
  return (request: Request, response: Response, next: NextFunction): void => {
    if (isAlwaysServed(request)) return next();
    if (open >= maxRequests) {
      const refusal = new RequestError('overloaded', 'Too many requests at once.', FULL_RETRY_MS);
      return sendError(request, response, refusal, 503);
    }
    open++;
    response.once('close', () => open--);
    next();
  };
}
