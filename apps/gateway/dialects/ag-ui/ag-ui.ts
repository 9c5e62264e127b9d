import { MAX_DIALECT_VALUES } from '../../door/bodies/body-limits.js';
import { RequestError } from '../../errors/request-error.js';
import type { DialectWire } from '../../door/refusals/dialect-wire.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const PATH = /^\/ag-ui\/?$/i;

/** Runs of AG-UI 1.0 as Server-Sent Events. A refusal is the event that would end a run: `RUN_ERROR`, as JSON. */
export const agUi: DialectWire = {
  name: 'ag-ui',
  owns: (path) => PATH.test(path),
  sendError: (response, error, status) => {
    // Handles methods that the only route does not support.
    const isMethod = error.code === 'not_found' && response.req.method !== 'POST';
    if (isMethod) response.setHeader('Allow', 'POST');
    const { message, code } = isMethod ? new RequestError('invalid', 'Start a run with POST.') : error;
    response.status(isMethod ? 405 : status).json({ type: 'RUN_ERROR', message, code });
  },
  maxBodyBytes: MAX_BODY_BYTES,
  // Its messages are sent back unchanged.
  maxBodyValues: MAX_DIALECT_VALUES,
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};
