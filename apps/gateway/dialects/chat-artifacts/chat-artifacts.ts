import type { DialectWire } from '../../door/refusals/dialect-wire.js';

/** The first path segments after `/api/` that belong to this dialect; all others belong to the native API. */
const PATHS =
  /^\/api\/(chat|chat-artifacts|chat-basic|server-names|server-status|api-keys|storage|graph|mcp-execute)(\/|$)/i;
/** Paths that its front end also requests and that are not provided; chat works without them. */
const NOT_PROVIDED = /^\/api\/(storage|graph|mcp-execute)(\/|$)/i;
/** Pinned artifacts travel with each request. */
const MAX_BODY_BYTES = 50 * 1024 * 1024;

/** Newline-delimited JSON of the CHARM front end. Errors are `{ error }`. */
export const chatArtifacts: DialectWire = {
  name: 'chat-artifacts-ndjson',
  owns: (path) => PATHS.test(path),
  // Its clients know one status for every invalid request.
  sendError: (response, error, status) =>
    void response.status(status === 415 || status === 422 ? 400 : status).json({ error: error.message }),
  maxBodyBytes: MAX_BODY_BYTES,
  ignoresBody: (path) => NOT_PROVIDED.test(path),
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
