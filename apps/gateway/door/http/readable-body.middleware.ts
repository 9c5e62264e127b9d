import type { NextFunction, Request, Response } from 'express';
import { hasBody, isForm } from '../bodies/body-kind.js';
import type { DialectWire } from '../refusals/dialect-wire.js';
import { RequestError } from '../../errors/request-error.js';
import { isAlwaysServed } from '../../http/always-served.js';
import type { HttpOptions } from './http-options.js';

/** Where a form is a body. */
const FORM_PATHS = /^\/api\/auth\/token\/?$/i;

/** Refuses bodies of types that nothing would read. */
export function judgeBodyType({ dialects, sendError }: Pick<HttpOptions, 'dialects' | 'sendError'>) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (isAlwaysServed(request)) return next();
    const owner = dialects.find((dialect) => dialect.owns(request.path));
    if (hasReadableBody(request, owner)) return next();
    sendError(request, response, new RequestError('invalid', 'The body must be application/json.'), 415);
  };
}

/** A body of another type would be ignored. */
function hasReadableBody(request: Request, dialect: DialectWire | undefined): boolean {
  if (dialect?.ignoresBody?.(request.path)) return true;
  if (!hasBody(request) || request.is(['application/json', ...(dialect?.bodyTypes ?? [])])) return true;
  return FORM_PATHS.test(request.path) && isForm(request);
}
