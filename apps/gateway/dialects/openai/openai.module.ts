import type { Gateway } from '../../gateway.js';
import { TurnReader } from '../../turns/turn-reader.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { DialectTurns } from '../dialect-turns.js';
import { CompletionsController } from './completions.controller.js';
import { ModelsController } from './models.controller.js';

export function openaiParts(gateway: Gateway): DialectParts {
  return {
    controllers: [CompletionsController, ModelsController],
    providers: [
      { provide: DialectTurns, useValue: gateway.dialectTurns },
      { provide: TurnReader, useValue: gateway.turnReader },
    ],
  };
}
