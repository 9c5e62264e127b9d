import type { IncomingMessage } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { bearerToken } from '../auth/user.js';
import { toRequestError } from '../errors/to-request-error.js';
import { isAlwaysServed } from './always-served.js';
import type { HttpOptions } from './http-options.js';
import { knownUserOf } from './known-user.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** `null` and `5` are JSON, too: a route's schema says what is wrong with them. */
const ANY_JSON = { strict: false };
const FORM = 'application/x-www-form-urlencoded';

/** Reads bodies within their sizes; a large one only from somebody who is known. */
export function parseBodies(app: NestExpressApplication, options: HttpOptions): void {
  const { dialects } = options;
  const ownerOf = (path: string) => dialects.find((dialect) => dialect.owns(path));
  app.use(knowLargeSenders(options));
  for (const dialect of dialects)
    if (dialect.maxBodyBytes !== undefined)
      app.useBodyParser('json', {
        ...ANY_JSON,
        limit: dialect.maxBodyBytes,
        type: (request: IncomingMessage) =>
          isJson(request) && dialect.owns(pathOf(request)) && !dialect.ignoresBody?.(pathOf(request)),
      });
  app.useBodyParser('json', {
    ...ANY_JSON,
    limit: MAX_BODY_BYTES,
    type: (request: IncomingMessage) => {
      const path = pathOf(request);
      return isJson(request) && !ownerOf(path)?.ignoresBody?.(path);
    },
  });
  app.useBodyParser('urlencoded', {
    limit: MAX_BODY_BYTES,
    extended: false,
    type: (request: IncomingMessage) => isForm(request),
  });
}

function pathOf(request: IncomingMessage): string {
  return (request as Request).path;
}

function isJson(request: IncomingMessage): boolean {
  return (
    !isAlwaysServed(request as Request) && (request as Request).is('application/json') === 'application/json'
  );
}

function isForm(request: IncomingMessage): boolean {
  return !isAlwaysServed(request as Request) && (request as Request).is(FORM) === FORM;
}

/** A body that may be larger than the client protocol's is kept and read only for somebody who is known. */
function knowLargeSenders({ authenticate, dialects, sendError }: HttpOptions) {
  const takesLarge = (path: string) =>
    dialects.some(({ owns, maxBodyBytes }) => maxBodyBytes !== undefined && owns(path));
  return (request: Request, response: Response, next: NextFunction): void => {
    const { 'content-length': length, 'transfer-encoding': encoding, authorization } = request.headers;
    const isSmall = encoding === undefined && Number(length ?? 0) <= MAX_BODY_BYTES;
    if (isSmall || !takesLarge(request.path) || knownUserOf(request)) return next();
    authenticate(bearerToken(authorization)).then(
      () => next(),
      (error: unknown) => sendError(request, response, toRequestError(error)),
    );
  };
}
