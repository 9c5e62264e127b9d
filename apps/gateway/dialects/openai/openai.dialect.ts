import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { createUnnamedTurns } from '../identity/unnamed-turns.js';
import type { DialectWire } from '../../door/refusals/dialect-wire.js';
import { CompletionsController } from './completions.controller.js';
import { ModelsController } from './models.controller.js';
import { sendOpenAiError } from './openai-error.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Chat completions, for clients that take a base URL (`/v1`). Errors are `{ error: { message, type, param, code } }`. */
const openai: DialectWire = {
  name: 'openai',
  owns: (path) => /^\/v1(\/|$)/i.test(path),
  sendError: sendOpenAiError,
  maxBodyBytes: MAX_BODY_BYTES,
  exposedHeaders: ['X-Conversation-Id', 'X-Turn-Id'],
};

export const openaiDialect: Dialect = {
  ...openai,
  open(gateway) {
    const { dialectTurns: turns, offeredModels: models, turnReader: reader, bodies, time } = gateway;
    const unnamed = createUnnamedTurns(gateway, openai.name);
    const parts = { turns, unnamed, bodies, reader, models, time };
    return { routes: toRoutes(parts, [CompletionsController, ModelsController]) };
  },
};
