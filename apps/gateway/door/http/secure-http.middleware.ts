import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { nameRequests } from '../../http/request-id.middleware.js';
import { judgeOrigins } from './cross-origin.middleware.js';
import { countSessions } from './count-sessions.middleware.js';
import type { HttpOptions } from './http-options.js';
import { API_PATHS } from './api-paths.js';
import { pageHeaders } from './page-headers.js';
import { parseBodies } from './parse-bodies.middleware.js';
import { judgeBodyType } from './readable-body.middleware.js';
import { PlaceSteps } from './request-places.middleware.js';

/** What every HTTP request passes before any route, in this order: a step relies on those before it. */
export function secureHttp(app: NestExpressApplication, options: HttpOptions): void {
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  app.use(nameRequests(options.log, options.time));
  app.use(pageHeaders());
  app.use(keepAnswersPrivate);
  judgeOrigins(app, options);
  app.use(countSessions(options));
  app.use(judgeBodyType(options));
  const places = new PlaceSteps(options);
  app.use(places.beforeBody);
  parseBodies(app, options);
  app.use(places.afterBody);
}

function keepAnswersPrivate({ path }: Request, response: Response, next: NextFunction): void {
  if (API_PATHS.test(path)) response.setHeader('Cache-Control', 'no-store');
  next();
}
