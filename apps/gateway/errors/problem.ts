import type { Response } from 'express';
import type { RefusalCode, RequestError } from './request-error.js';

const STATUS: Record<RefusalCode, number> = {
  invalid: 422,
  content_too_long: 413,
  not_found: 404,
  busy: 409,
  overloaded: 429,
  budget_exceeded: 429,
  unavailable: 503,
  unauthorized: 401,
  already_answered: 409,
  forbidden: 403,
  taken: 400,
  internal: 500,
};

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

export function statusOf({ code }: RequestError): number {
  return STATUS[code];
}

/** A problem document (RFC 9457): `detail` is one sentence, `code` the stable name. */
export function sendProblem(response: Response, error: RequestError, status: number): void {
  response
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: TITLES[status] ?? 'Error',
        status,
        detail: error.message,
        code: error.code,
      }),
    );
}
