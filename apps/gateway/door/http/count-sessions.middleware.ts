import type { RequestHandler } from 'express';
import { countSession, sessionInCookie } from '../../people/auth/session-cookie.js';
import { API_PATHS } from './api-paths.js';
import type { HttpOptions } from './http-options.js';
import { READING_METHODS } from './judge-request.js';

/** The cookie of a session counts only on the page's own routes: everything else needs a token. */
export function countSessions({ dialects }: Pick<HttpOptions, 'dialects'>): RequestHandler {
  return (request, _response, next) => {
    const { path, method } = request;
    if (API_PATHS.test(path) && !dialects.some((dialect) => dialect.owns(path))) {
      const session = sessionInCookie(request, READING_METHODS.has(method) ? 'read' : 'write');
      if (session !== undefined) countSession(request, session);
    }
    next();
  };
}
