import type { Dialect } from '../dialect.js';
import { sendProblem } from '../../errors/problem.js';

export const GENESIS_CHAT = 'genesis-chat';
export const SOCKET_PATH = '/ws/chat';
export const TRANSCRIBE_PATH = '/api/transcribe';

/** The plain WebSocket of the Genesis front end; what it asks over HTTP are the native paths. */
export const genesisChat: Dialect = {
  name: GENESIS_CHAT,
  owns: (path) => path === SOCKET_PATH || path === TRANSCRIBE_PATH,
  sendError: sendProblem,
  bodyTypes: ['multipart/form-data'],
};
