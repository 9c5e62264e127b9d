import type { IncomingMessage } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { isForm } from '../bodies/body-kind.js';
import { MAX_BODY_BYTES } from '../bodies/body-limits.js';
import { readJsonBodies } from '../bodies/json-bodies.middleware.js';
import { isAlwaysServed } from './always-served.js';
import type { HttpOptions } from './http-options.js';

/** Reads bodies within their sizes. */
export function parseBodies(app: NestExpressApplication, options: HttpOptions): void {
  app.use(readJsonBodies(options));
  app.useBodyParser('urlencoded', {
    limit: MAX_BODY_BYTES,
    extended: false,
    type: (request: IncomingMessage) => isReadForm(request as Request),
  });
}

function isReadForm(request: Request): boolean {
  return !isAlwaysServed(request) && isForm(request);
}
