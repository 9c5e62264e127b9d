import type { IncomingMessage } from 'node:http';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { RequestError } from '../errors/request-error.js';
import type { Dialect } from '../dialects/dialect.js';
import type { SendError } from '../errors/send-error.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';

const MAX_BODY_BYTES = 1024 * 1024;
const FULL_RETRY_MS = 1_000;
/** Who watches a full process must not take it for a dead one. */
const ALWAYS_SERVED = /^\/(health\/|metrics$)/;

export interface HttpSafety {
  rules: OriginRules;
  maxRequests: number;
  dialects: readonly Dialect[];
  sendError: SendError;
}

/** What every HTTP request passes before any route: headers of the answer, origin, CORS, number, body. */
export function secureHttp(app: NestExpressApplication, safety: HttpSafety): void {
  const { dialects, sendError } = safety;
  const ownerOf = (path: string) => dialects.find((dialect) => dialect.owns(path));
  app.set('query parser', 'simple');
  app.use(pageHeaders());
  app.use((request: Request, response: Response, next: NextFunction) => {
    const reason = judgeRequest(originOf(request), rulesFor(ownerOf(request.path), safety.rules));
    if (reason !== undefined) return sendError(request, response, new RequestError('forbidden', reason));
    if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.enableCors((request: Request, choose: (error: null, options: CorsOptions) => void) =>
    choose(null, corsOf(ownerOf(request.path), safety.rules)),
  );
  app.use(limitRequests(safety));
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (hasReadableBody(request, ownerOf(request.path)?.bodyTypes)) return next();
    sendError(request, response, new RequestError('invalid', 'The body must be application/json.'), 415);
  });
  for (const dialect of dialects)
    if (dialect.maxBodyBytes !== undefined)
      app.useBodyParser('json', {
        limit: dialect.maxBodyBytes,
        type: (request: IncomingMessage) => isJson(request) && dialect.owns((request as Request).path),
      });
  app.useBodyParser('json', { limit: MAX_BODY_BYTES });
}

function rulesFor(dialect: Dialect | undefined, rules: OriginRules): OriginRules {
  return rules.corsOrigins.length > 0 || !dialect?.defaultOrigins
    ? rules
    : { ...rules, corsOrigins: dialect.defaultOrigins };
}

function corsOf(dialect: Dialect | undefined, rules: OriginRules): CorsOptions {
  const { corsOrigins } = rulesFor(dialect, rules);
  const exposedHeaders = dialect?.exposedHeaders && [...dialect.exposedHeaders];
  return { origin: [...corsOrigins], credentials: true, maxAge: 600, exposedHeaders };
}

function isJson(request: IncomingMessage): boolean {
  return (request as Request).is('application/json') === 'application/json';
}

/** A body of another type would be ignored. Who sends none may say so with a length of 0. */
function hasReadableBody(request: Request, further: readonly string[] = []): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  return !hasBody || Boolean(request.is(['application/json', ...further]));
}

/** Requests at once; the rest is told to come again. */
function limitRequests({ maxRequests, sendError }: HttpSafety) {
  let open = 0;
  return (request: Request, response: Response, next: NextFunction): void => {
    if (ALWAYS_SERVED.test(request.path)) return next();
    if (open >= maxRequests) {
      const refusal = new RequestError('overloaded', 'Too many requests at once.', FULL_RETRY_MS);
      return sendError(request, response, refusal, 503);
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
