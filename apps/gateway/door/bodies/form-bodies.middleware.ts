import { parse } from 'node:querystring';
import type { NextFunction, Request, Response } from 'express';
import { isAlwaysServed } from '../../http/always-served.js';
import { isForm } from './body-kind.js';
import { MAX_FORM_BYTES } from './body-limits.js';
import { receiveBody, textOf, tooLarge } from './receive-body.js';

/** Reads the small forms of sign-in. Express' own parser would read a refused one to its end. */
export function readForms() {
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (isAlwaysServed(request) || !isForm(request)) return next();
    readForm(request).then((form) => {
      request.body = form;
      next();
    }, next);
  };
}

async function readForm(request: Request): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  const { slabs } = await receiveBody(request, { maxBytes: MAX_FORM_BYTES, grow: () => undefined });
  return parse(textOf(slabs));
}
