import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { createUnnamedTurns } from '../identity/unnamed-turns.js';
import { CompletionsController } from './completions.controller.js';
import { ModelsController } from './models.controller.js';
import { openai } from './openai.js';

export const openaiDialect: Dialect = {
  ...openai,
  open(gateway) {
    const { dialectTurns: turns, offeredModels: models, turnReader: reader, bodies, time } = gateway;
    const unnamed = createUnnamedTurns(gateway, openai.name);
    const parts = { turns, unnamed, bodies, reader, models, time };
    return { routes: toRoutes(parts, [CompletionsController, ModelsController]) };
  },
};
