import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { RequestError } from '../errors/request-error.js';
import { sendProblem } from '../errors/problem.js';
import { judgeRequest, type OriginRules } from './judge-request.js';
import { originOf } from './origin-rules.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** What every HTTP request passes before any route: headers of the answer, origin, CORS, body. */
export function secureHttp(app: NestExpressApplication, rules: OriginRules): void {
  app.set('query parser', 'simple');
  app.use(pageHeaders());
  app.use((request: Request, response: Response, next: NextFunction) => {
    const reason = judgeRequest(originOf(request), rules);
    if (reason !== undefined) return sendProblem(response, new RequestError('forbidden', reason));
    if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.enableCors({ origin: [...rules.corsOrigins], credentials: true, maxAge: 600 });
  app.useBodyParser('json', { limit: MAX_BODY_BYTES });
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
