import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

const FORM = 'application/x-www-form-urlencoded';

/** A client without a body may send a length of 0. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

export function isForm(request: Pick<Request, 'is'>): boolean {
  return request.is(FORM) === FORM;
}
