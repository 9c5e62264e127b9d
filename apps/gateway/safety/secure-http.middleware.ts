import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { RequestError } from '../errors/request-error.js';
import { sendProblem } from '../errors/problem.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';

const MAX_BODY_BYTES = 1024 * 1024;
const FULL_RETRY_MS = 1_000;
/** Who watches a full process must not take it for a dead one. */
const ALWAYS_SERVED = /^\/(health\/|metrics$)/;

/** What every HTTP request passes before any route: headers of the answer, origin, number, CORS, body. */
export function secureHttp(app: NestExpressApplication, rules: OriginRules, maxRequests: number): void {
  app.set('query parser', 'simple');
  app.use(pageHeaders());
  app.use((request: Request, response: Response, next: NextFunction) => {
    const reason = judgeRequest(originOf(request), rules);
    if (reason !== undefined) return sendProblem(response, new RequestError('forbidden', reason));
    if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
    if (!hasReadableBody(request))
      return sendProblem(response, new RequestError('invalid', 'The body must be application/json.'), 415);
    next();
  });
  app.use(limitRequests(maxRequests));
  app.enableCors({ origin: [...rules.corsOrigins], credentials: true, maxAge: 600 });
  app.useBodyParser('json', { limit: MAX_BODY_BYTES });
}

/** A body of another type would be ignored. Who sends none may say so with a length of 0. */
function hasReadableBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  return !hasBody || request.is('application/json') === 'application/json';
}

/** Requests at once; the rest is told to come again. */
function limitRequests(max: number) {
  let open = 0;
  return (request: Request, response: Response, next: NextFunction): void => {
    if (ALWAYS_SERVED.test(request.path)) return next();
    if (open >= max) {
      const refusal = new RequestError('overloaded', 'Too many requests at once.', FULL_RETRY_MS);
      return sendProblem(response, refusal, 503);
    }
    open++;
    response.once('close', () => open--);
    next();
  };
}

function pageHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // Whoever ends TLS in front of this process decides whether its name is HTTPS only.
    strictTransportSecurity: false,
  });
}
