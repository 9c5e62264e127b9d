import type { Gateway } from '../../gateway.js';
import { DialectTurns } from '../dialect-turns.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { ChatController } from './chat.controller.js';

export function mcpChatParts(gateway: Gateway): DialectParts {
  return {
    controllers: [ChatController],
    providers: [{ provide: DialectTurns, useValue: gateway.dialectTurns }],
  };
}
