import type { DialectWire } from '../../door/refusals/dialect-wire.js';
import { sendOpenAiError } from './openai-error.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Chat completions, for clients that take a base URL (`/v1`). Errors are `{ error: { message, type, param, code } }`. */
export const openai: DialectWire = {
  name: 'openai',
  owns: (path) => /^\/v1(\/|$)/i.test(path),
  sendError: sendOpenAiError,
  maxBodyBytes: MAX_BODY_BYTES,
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
