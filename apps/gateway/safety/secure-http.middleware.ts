import type { IncomingMessage } from 'node:http';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from '#observability';
import { bearerToken, type Authenticate } from '../auth/user.js';
import { RequestError, toRequestError } from '../errors/request-error.js';
import type { Dialect } from '../dialects/dialect.js';
import type { SendError } from '../errors/send-error.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';
import { nameRequests } from './request-id.middleware.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** What pages of other sites may read of an answer. */
const EXPOSED_HEADERS = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
/** `null` and `5` are JSON, too: a route's schema says what is wrong with them. */
const ANY_JSON = { strict: false };
const FORM = 'application/x-www-form-urlencoded';
/** As with all paths, the letters' case makes no difference: routes are found like that, too. */
const API_PATHS = /^\/api\//i;
/** Where a form is a body. */
const FORM_PATHS = /^\/api\/auth\/token\/?$/i;
const FULL_RETRY_MS = 1_000;
/** Who watches a full process must not take it for a dead one. */
const ALWAYS_SERVED = /^\/(health\/|metrics$)/i;

export interface HttpOptions {
  rules: OriginRules;
  /** At once. */
  maxRequests: number;
  /** Whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  dialects: readonly Dialect[];
  sendError: SendError;
  log: Pick<Logger, 'debug'>;
  authenticate: Authenticate;
}

/** What every HTTP request passes before any route: headers of the answer, origin, CORS, body, number. */
export function secureHttp(app: NestExpressApplication, options: HttpOptions): void {
  const { rules, trustedProxies, dialects, sendError, log } = options;
  const ownerOf = (path: string) => dialects.find((dialect) => dialect.owns(path));
  const judgedAs = (request: Request) =>
    ownerOf(request.path) ?? dialects.find((dialect) => mayAsk(request, dialect, rules));
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxies);
  app.use(nameRequests(log));
  app.use(pageHeaders());
  app.use((request: Request, response: Response, next: NextFunction) => {
    // Also of a refusal: what one origin is told must not be kept for another.
    response.vary('Origin');
    const reason = judgeRequest(originOf(request), rulesFor(judgedAs(request), rules));
    if (reason !== undefined) return sendError(request, response, new RequestError('forbidden', reason));
    if (API_PATHS.test(request.path)) response.setHeader('Cache-Control', 'no-store');
    next();
  });
  // Before anything else may refuse a request: a page is told the reason only with these headers.
  app.enableCors((request: Request, choose: (error: null, options: CorsOptions) => void) =>
    choose(null, corsOf(judgedAs(request), rules)),
  );
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (hasReadableBody(request, ownerOf(request.path))) return next();
    sendError(request, response, new RequestError('invalid', 'The body must be application/json.'), 415);
  });
  app.use(limitRequests(options));
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
  app.useBodyParser('urlencoded', { limit: MAX_BODY_BYTES, extended: false });
}

/**
 * A dialect's front end may ask about any path what it may do there; that it may not use paths of others is said
 * to its request itself.
 */
function mayAsk({ method, headers }: Request, dialect: Dialect, rules: OriginRules): boolean {
  const { origin } = headers;
  if (method !== 'OPTIONS' || origin === undefined || rules.corsOrigins.length > 0) return false;
  return dialect.defaultOrigins?.includes(origin) === true;
}

function rulesFor(dialect: Dialect | undefined, rules: OriginRules): OriginRules {
  return rules.corsOrigins.length > 0 || !dialect?.defaultOrigins
    ? rules
    : { ...rules, corsOrigins: dialect.defaultOrigins };
}

function corsOf(dialect: Dialect | undefined, rules: OriginRules): CorsOptions {
  const { corsOrigins } = rulesFor(dialect, rules);
  const methods = dialect?.methods && { methods: dialect.methods.join(', ') };
  const exposedHeaders = (dialect?.exposedHeaders ?? EXPOSED_HEADERS).join(', ');
  return { origin: [...corsOrigins], credentials: true, maxAge: 600, exposedHeaders, ...methods };
}

function pathOf(request: IncomingMessage): string {
  return (request as Request).path;
}

function isJson(request: IncomingMessage): boolean {
  return (request as Request).is('application/json') === 'application/json';
}

/** A body of another type would be ignored. Who sends none may say so with a length of 0. */
function hasReadableBody(request: Request, dialect: Dialect | undefined): boolean {
  if (dialect?.ignoresBody?.(request.path)) return true;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  if (!hasBody || request.is(['application/json', ...(dialect?.bodyTypes ?? [])])) return true;
  return FORM_PATHS.test(request.path) && request.is(FORM) === FORM;
}

/** A body that may be larger than the client protocol's is kept and read only for somebody who is known. */
function knowLargeSenders({ authenticate, dialects, sendError }: HttpOptions) {
  const takesLarge = (path: string) =>
    dialects.some(({ owns, maxBodyBytes }) => maxBodyBytes !== undefined && owns(path));
  return (request: Request, response: Response, next: NextFunction): void => {
    const { 'content-length': length, 'transfer-encoding': encoding, authorization } = request.headers;
    const isSmall = encoding === undefined && Number(length ?? 0) <= MAX_BODY_BYTES;
    if (isSmall || !takesLarge(request.path)) return next();
    authenticate(bearerToken(authorization)).then(
      () => next(),
      (error: unknown) => sendError(request, response, toRequestError(error)),
    );
  };
}

/** Requests at once; the rest is told to come again. */
function limitRequests({ maxRequests, sendError }: HttpOptions) {
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
