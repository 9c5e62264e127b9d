import type { DialectParts } from '../dialect-parts.module.js';
import { GenesisChatController } from './genesis-chat.controller.js';

export function genesisChatParts(): DialectParts {
  return { controllers: [GenesisChatController], providers: [] };
}
