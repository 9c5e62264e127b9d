import { Bodies } from '../../bodies/bodies.js';
import type { Gateway } from '../../gateway.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { NamedConversations } from '../named-conversations.js';
import { agUi } from './ag-ui.js';
import { RunController } from './run.controller.js';
import { Runs } from './runs.js';

export function agUiParts(gateway: Gateway): DialectParts {
  const { dialectTurns: turns, turnReader: reader, answerCalls: answers, ownership } = gateway;
  const named = new NamedConversations(gateway, agUi.name);
  return {
    controllers: [RunController],
    providers: [
      { provide: Bodies, useValue: gateway.bodies },
      { provide: Runs, useValue: new Runs({ turns, reader, answers, ownership, named }) },
    ],
  };
}
