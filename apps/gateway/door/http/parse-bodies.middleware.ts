import type { NestExpressApplication } from '@nestjs/platform-express';
import { readForms } from '../bodies/form-bodies.middleware.js';
import { readJsonBodies } from '../bodies/json-bodies.middleware.js';
import type { HttpOptions } from './http-options.js';

/** Reads bodies within their sizes. */
export function parseBodies(app: NestExpressApplication, options: HttpOptions): void {
  app.use(readJsonBodies(options));
  app.use(readForms());
}
