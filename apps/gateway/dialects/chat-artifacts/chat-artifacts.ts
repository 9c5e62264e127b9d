import type { DialectWire } from '../../door/refusals/dialect-wire.js';

/** The first segment after `/api/` that is its own; everything else there belongs to the native API. */
const PATHS =
  /^\/api\/(chat|chat-artifacts|chat-basic|server-names|server-status|api-keys|storage|graph|mcp-execute)(\/|$)/i;
/** What its front end also asks for and is not provided: chat works without. */
const NOT_PROVIDED = /^\/api\/(storage|graph|mcp-execute)(\/|$)/i;
/** Pinned artifacts travel with each request. */
const MAX_BODY_BYTES = 50 * 1024 * 1024;

/** Newline-delimited JSON of the CHARM front end. Errors are `{ error }`. */
export const chatArtifacts: DialectWire = {
  name: 'chat-artifacts-ndjson',
  owns: (path) => PATHS.test(path),
  // Its clients know one status for whatever a request lacks.
  sendError: (response, error, status) =>
    void response.status(status === 415 || status === 422 ? 400 : status).json({ error: error.message }),
  maxBodyBytes: MAX_BODY_BYTES,
  ignoresBody: (path) => NOT_PROVIDED.test(path),
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
