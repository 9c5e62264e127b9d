import type { DialectWire } from '../../door/refusals/dialect-wire.js';
import { sendProblem } from '../../errors/problem.js';

export const GENESIS_CHAT = 'genesis-chat';
export const SOCKET_PATH = '/ws/chat';
export const TRANSCRIBE_PATH = '/api/transcribe';

/** Its contract knows one status for a wrong body, also on paths of the client protocol. */
const SHARED_BODIES = /^\/api\/(auth\/(register|token)|conversations(\/[^/]+)?)\/?$/i;

const PATHS = new RegExp(`^(${SOCKET_PATH}|${TRANSCRIBE_PATH})/?$`, 'i');

/** The plain WebSocket of the Genesis front end; what it asks over HTTP are the native paths. */
export const genesisChat: DialectWire = {
  name: GENESIS_CHAT,
  owns: (path) => PATHS.test(path),
  sendError: sendProblem,
  bodyTypes: ['multipart/form-data'],
  sharesBody: (path) => SHARED_BODIES.test(path),
};
