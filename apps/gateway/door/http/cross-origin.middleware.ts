import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { DialectWire } from '../refusals/dialect-wire.js';
import { RequestError } from '../../errors/request-error.js';
import type { HttpOptions } from './http-options.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';

/** What pages of other sites may read of an answer. */
const EXPOSED_HEADERS = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'];

type OriginOptions = Pick<HttpOptions, 'rules' | 'dialects' | 'areDialectsNamed' | 'sendError'>;

/** Refuses requests of foreign origins and hosts, and tells pages of known ones what they may read. */
export function judgeOrigins(
  app: NestExpressApplication,
  { rules, dialects: served, areDialectsNamed, sendError }: OriginOptions,
): void {
  // A page may use the tools of its visitor: default origins apply only to a dialect that `DIALECTS` names.
  const dialects = areDialectsNamed ? served : served.map((one) => ({ ...one, defaultOrigins: undefined }));
  const judgedAs = (request: Request) =>
    dialects.find((dialect) => dialect.owns(request.path)) ??
    dialects.find((dialect) => mayAsk(request, dialect, rules));
  app.use((request: Request, response: Response, next: NextFunction) => {
    // Also for a refusal: a cache must not serve one origin's answer to another.
    response.vary('Origin');
    const reason = judgeRequest(originOf(request), rulesFor(judgedAs(request), rules));
    if (reason !== undefined) return sendError(request, response, new RequestError('forbidden', reason));
    next();
  });
  // Before anything else may refuse a request: a page is told the reason only with these headers.
  app.enableCors((request: Request, choose: (error: null, options: CorsOptions) => void) =>
    choose(null, corsOf(judgedAs(request), rules)),
  );
}

/**
 * A dialect's front end may ask about any path what it may do there; that it may not use paths of others is said
 * to its request itself.
 */
function mayAsk({ method, headers }: Request, dialect: DialectWire, rules: OriginRules): boolean {
  const { origin } = headers;
  if (method !== 'OPTIONS' || origin === undefined || rules.corsOrigins.length > 0) return false;
  return dialect.defaultOrigins?.includes(origin) === true;
}

function rulesFor(dialect: DialectWire | undefined, rules: OriginRules): OriginRules {
  return rules.corsOrigins.length > 0 || !dialect?.defaultOrigins
    ? rules
    : { ...rules, corsOrigins: dialect.defaultOrigins };
}

function corsOf(dialect: DialectWire | undefined, rules: OriginRules): CorsOptions {
  const { corsOrigins } = rulesFor(dialect, rules);
  const methods = dialect?.methods && { methods: dialect.methods.join(', ') };
  const exposedHeaders = (dialect?.exposedHeaders ?? EXPOSED_HEADERS).join(', ');
  return { origin: [...corsOrigins], credentials: true, maxAge: 600, exposedHeaders, ...methods };
}
