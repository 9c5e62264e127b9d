import type { Dialect } from '../dialect.js';
import { sendProblem } from '../../errors/problem.js';

export const GENESIS_CHAT = 'genesis-chat';
export const SOCKET_PATH = '/ws/chat';
export const TRANSCRIBE_PATH = '/api/transcribe';

/** Where its front end sends JSON to paths of the client protocol: there its contract knows one status for a wrong body. */
export const GENESIS_BODY_PATHS = /^\/api\/(auth\/(register|token)|conversations(\/[^/]+)?)\/?$/i;

const PATHS = new RegExp(`^(${SOCKET_PATH}|${TRANSCRIBE_PATH})/?$`, 'i');

/** The plain WebSocket of the Genesis front end; what it asks over HTTP are the native paths. */
export const genesisChat: Dialect = {
  name: GENESIS_CHAT,
  owns: (path) => PATHS.test(path),
  sendError: sendProblem,
  bodyTypes: ['multipart/form-data'],
};
