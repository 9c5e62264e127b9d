import { OfferedModels } from '../../catalogue/offered-models.js';
import { Bodies } from '../../bodies/bodies.js';
import type { Gateway } from '../../gateway.js';
import { TurnReader } from '../../turns/turn-reader.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { DialectTurns } from '../dialect-turns.js';
import { createUnnamedTurns, UnnamedTurns } from '../unnamed-turns.js';
import { CompletionsController } from './completions.controller.js';
import { ModelsController } from './models.controller.js';
import { openai } from './openai.js';

export function openaiParts(gateway: Gateway): DialectParts {
  return {
    controllers: [CompletionsController, ModelsController],
    providers: [
      { provide: DialectTurns, useValue: gateway.dialectTurns },
      { provide: UnnamedTurns, useValue: createUnnamedTurns(gateway, openai.name) },
      { provide: OfferedModels, useValue: gateway.offeredModels },
      { provide: Bodies, useValue: gateway.bodies },
      { provide: TurnReader, useValue: gateway.turnReader },
    ],
  };
}
