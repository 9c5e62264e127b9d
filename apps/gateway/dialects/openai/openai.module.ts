import type { Gateway } from '../../gateway.js';
import { TurnReader } from '../../turns/turn-reader.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { Bindings } from '../bindings.js';
import { DialectTurns } from '../dialect-turns.js';
import { KEPT_MS, knownHistorySchema, UnnamedTurns } from '../unnamed-turns.js';
import { CompletionsController } from './completions.controller.js';
import { ModelsController } from './models.controller.js';
import { openai } from './openai.js';

export function openaiParts(gateway: Gateway): DialectParts {
  const { dialectTurns: turns, store, log } = gateway;
  const known = new Bindings(store, openai.name, knownHistorySchema, { keptMs: KEPT_MS });
  return {
    controllers: [CompletionsController, ModelsController],
    providers: [
      { provide: DialectTurns, useValue: turns },
      { provide: UnnamedTurns, useValue: new UnnamedTurns({ turns, known, log }) },
      { provide: TurnReader, useValue: gateway.turnReader },
    ],
  };
}
