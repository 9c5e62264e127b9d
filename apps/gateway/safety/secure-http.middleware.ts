import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from '#observability';
import { RequestError } from '../errors/request-error.js';
import { sendProblem } from '../errors/problem.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';
import { nameRequests } from './request-id.middleware.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** What pages of other sites may read of an answer. */
const EXPOSED_HEADERS = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const FORM = 'application/x-www-form-urlencoded';
/** Where a form is a body. */
const FORM_PATHS: ReadonlySet<string> = new Set(['/api/auth/token']);
const FULL_RETRY_MS = 1_000;
/** Who watches a full process must not take it for a dead one. */
const ALWAYS_SERVED = /^\/(health\/|metrics$)/;

export interface HttpOptions {
  rules: OriginRules;
  /** At once. */
  maxRequests: number;
  /** Whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  log: Pick<Logger, 'debug'>;
}

/** What every HTTP request passes before any route: headers of the answer, origin, number, CORS, body. */
export function secureHttp(app: NestExpressApplication, options: HttpOptions): void {
  const { rules, maxRequests, trustedProxies, log } = options;
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxies);
  app.use(nameRequests(log));
  app.use(pageHeaders());
  app.use((request: Request, response: Response, next: NextFunction) => {
    const reason = judgeRequest(originOf(request), rules);
    if (reason !== undefined) return sendProblem(response, new RequestError('forbidden', reason));
    if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
    next();
  });
  // Before anything else may refuse a request: a page is told the reason only with these headers.
  app.enableCors({
    origin: [...rules.corsOrigins],
    credentials: true,
    maxAge: 600,
    exposedHeaders: EXPOSED_HEADERS,
  });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!hasReadableBody(request))
      return sendProblem(response, new RequestError('invalid', 'The body must be application/json.'), 415);
    next();
  });
  app.use(limitRequests(maxRequests));
  app.useBodyParser('json', { limit: MAX_BODY_BYTES });
  app.useBodyParser('urlencoded', { limit: MAX_BODY_BYTES, extended: false });
}

/** A body of another type would be ignored. Who sends none may say so with a length of 0. */
function hasReadableBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  if (!hasBody || request.is('application/json') === 'application/json') return true;
  return FORM_PATHS.has(request.path) && request.is(FORM) === FORM;
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
