import { RequestError, type RefusalCode } from '../../errors/request-error.js';
import { BodyError, NoJsonError } from '../../errors/body-error.js';
import type { BodyReader } from './body-reader.js';

export interface ThreadData {
  id: number;
  reader: Pick<BodyReader<unknown>, 'module' | 'name'>;
  /** JSON in UTF-8. */
  slabs: Uint8Array<ArrayBuffer>[];
}

export type ThreadRefusal =
  'no json' | Pick<BodyError, 'status' | 'message'> | { code: RefusalCode; message: string; about?: object };

export type ThreadAnswer = { id: number } & (
  { value: unknown } | { refusal: ThreadRefusal } | { bug: string }
);

/** An error that a client is told, as plain data; undefined for any other. */
export function toRefusal(error: unknown): ThreadRefusal | undefined {
  if (error instanceof SyntaxError) return 'no json';
  if (error instanceof BodyError) return { status: error.status, message: error.message };
  if (!(error instanceof RequestError)) return undefined;
  const { code, message, about } = error;
  return { code, message, ...(about && { about }) };
}

export function fromRefusal(refusal: ThreadRefusal): Error {
  if (refusal === 'no json') return new NoJsonError();
  if ('status' in refusal) return new BodyError(refusal.status, refusal.message);
  return new RequestError(refusal.code, refusal.message, undefined, refusal.about);
}
