import type { Response } from 'express';
import { ModelNotAllowed, type RefusalCode, RequestError } from '../../errors/request-error.js';

/** An error in the API's own format. */
export interface OpenAiError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

const INVALID = 'invalid_request_error';
const SERVER = 'server_error';

const KNOWN: Record<RefusalCode, Pick<OpenAiError, 'type' | 'code'>> = {
  invalid: { type: INVALID, code: null },
  content_too_long: { type: INVALID, code: 'request_too_large' },
  not_found: { type: INVALID, code: 'not_found' },
  busy: { type: INVALID, code: 'conversation_busy' },
  overloaded: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  budget_exceeded: { type: 'insufficient_quota', code: 'insufficient_quota' },
  unavailable: { type: SERVER, code: 'unavailable' },
  unauthorized: { type: INVALID, code: 'invalid_api_key' },
  already_answered: { type: INVALID, code: 'already_answered' },
  forbidden: { type: INVALID, code: 'forbidden' },
  taken: { type: INVALID, code: 'taken' },
  internal: { type: SERVER, code: 'internal_error' },
};

export interface OpenAiRefusalAbout {
  status?: number;
  type?: string;
  param?: string | null;
  code?: string | null;
}

/** A refusal with the fields of the API's own errors. */
export class OpenAiRefusal extends RequestError {
  override name = 'OpenAiRefusal';

  constructor(message: string, about: OpenAiRefusalAbout = {}) {
    super('invalid', message, undefined, { status: 400, type: INVALID, param: null, code: null, ...about });
  }
}

/** Undefined for a refusal of another part. The class is lost where a body was read in a thread; the data is not. */
function aboutOf({ about }: RequestError): Required<OpenAiRefusalAbout> | undefined {
  return about as Required<OpenAiRefusalAbout> | undefined;
}

export function toOpenAiError(error: RequestError): OpenAiError {
  const { message } = error;
  const about = aboutOf(error);
  if (about) return { message, type: about.type, param: about.param, code: about.code };
  if (error instanceof ModelNotAllowed)
    return { message, type: INVALID, param: 'model', code: 'model_not_found' };
  const { type, code } = KNOWN[error.code];
  return { message, type, param: null, code };
}

const ALLOWED: [RegExp, string][] = [
  [/^\/v1\/chat\/completions\/?$/i, 'POST'],
  [/^\/v1\/models(\/[^/]+)?\/?$/i, 'GET'],
];
/** The API answers 400 where the client protocol answers 422. */
const BAD_REQUEST = 400;

/** Any refusal of a path below `/v1`. */
export function sendOpenAiError(response: Response, error: RequestError, status: number): void {
  const send = (given: RequestError, code: number) =>
    void response.status(code).json({ error: toOpenAiError(given) });
  const about = aboutOf(error);
  if (about) return send(error, about.status);
  // The API's answer for a model that exists for others only.
  if (error instanceof ModelNotAllowed) return send(error, 404);
  if (error.code === 'not_found') return sendUnknown(response, send);
  send(error, status === 422 ? BAD_REQUEST : status);
}

/** No route has this path and method. Controllers report missing objects themselves. */
function sendUnknown(response: Response, send: (error: RequestError, status: number) => void): void {
  const { method, path } = response.req;
  const allowed = ALLOWED.find(([pattern]) => pattern.test(path))?.[1];
  if (allowed === undefined)
    return send(new OpenAiRefusal(`Unknown request URL: ${method} ${path}.`, { code: 'unknown_url' }), 404);
  response.setHeader('Allow', allowed);
  send(new OpenAiRefusal(`${path} takes ${allowed} only.`, { code: 'method_not_supported' }), 405);
}
