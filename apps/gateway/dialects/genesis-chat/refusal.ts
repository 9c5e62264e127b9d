import type { RefusalCode } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import { denied, type Refusal } from './client-frame.js';
import type { FrameErrorCode } from './server-frame.js';

const CODES: Record<RefusalCode, FrameErrorCode> = {
  invalid: 'INVALID_FORMAT',
  content_too_long: 'INVALID_FORMAT',
  not_found: 'ACCESS_DENIED',
  unauthorized: 'ACCESS_DENIED',
  forbidden: 'ACCESS_DENIED',
  busy: 'BUSY',
  overloaded: 'BUSY',
  budget_exceeded: 'BUSY',
  unavailable: 'BUSY',
  taken: 'INVALID_FORMAT',
  already_answered: 'INVALID_FORMAT',
  internal: 'INTERNAL_ERROR',
};

/** The reason why a message was not accepted, for its client. */
export function refusalOf(error: unknown, conversation_id: string): Refusal {
  const { code, message } = toRequestError(error);
  if (CODES[code] === 'ACCESS_DENIED') return denied(conversation_id);
  return { code: CODES[code], message, conversation_id };
}
