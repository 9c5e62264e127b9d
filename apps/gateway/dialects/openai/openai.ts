import type { Dialect } from '../dialect.js';
import { sendOpenAiError } from './openai-error.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Chat completions, for clients that take a base URL (`/v1`). Errors are `{ error: { message, type, param, code } }`. */
export const openai: Dialect = {
  name: 'openai',
  owns: (path) => path === '/v1' || path.startsWith('/v1/'),
  sendError: sendOpenAiError,
  maxBodyBytes: MAX_BODY_BYTES,
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
