import { StoreUnavailableError } from '#store';
import { RequestError } from './request-error.js';

const STORE_RETRY_MS = 1_000;

/** Maps any error to the one that the client receives. An unknown error is `internal`, and its text stays here. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof StoreUnavailableError)
    return new RequestError('unavailable', 'The store cannot be reached. Try again.', STORE_RETRY_MS);
  return new RequestError('internal', 'Something went wrong.');
}
