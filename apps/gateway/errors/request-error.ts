import type { ClientError, ErrorCode } from '#contracts';

/** Codes of the client protocol, and those that only HTTP knows. */
export type RefusalCode = ErrorCode | HttpCode;
type HttpCode = 'forbidden' | 'taken';

const OVER_SOCKET: Record<HttpCode, ErrorCode> = { forbidden: 'unauthorized', taken: 'invalid' };

/** A refused request. The message is for the client and contains nothing that it may not know. */
export class RequestError extends Error {
  override name = 'RequestError';

  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly retryAfterMs?: number,
    /** Plain data that a dialect adds to its own form of the error. */
    readonly about?: object,
  ) {
    super(message);
  }
}

/** One sentence for unknown ids, malformed ids and ids of other users: a client cannot tell which. */
export function notFound(): RequestError {
  return new RequestError('not_found', 'There is nothing with this id.');
}

/** Whether it is the error for an id that does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'not_found';
}

/** For an address that is neither a route nor a file of the page. */
export function noSuchAddress(): RequestError {
  return new RequestError('not_found', 'There is nothing at this address.');
}

/** The acknowledgement of a request over Socket.IO that failed. */
export function toClientError({ code, message, retryAfterMs }: RequestError): ClientError {
  return {
    error: {
      code: code === 'forbidden' || code === 'taken' ? OVER_SOCKET[code] : code,
      message,
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    },
  };
}

/** A client named a model that the deployment does not allow. The message lists the allowed ones. */
export class ModelNotAllowed extends RequestError {
  override name = 'ModelNotAllowed';

  constructor(message: string) {
    super('invalid', message);
  }
}
