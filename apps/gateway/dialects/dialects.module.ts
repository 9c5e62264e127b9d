import { Module, type DynamicModule } from '@nestjs/common';
import { AUTHENTICATE } from '../auth/http-user.guard.js';
import { OPEN_STREAMS } from '../auth/stream.guard.js';
import type { Gateway } from '../gateway.js';
import { TIME } from '../time-token.js';
import { chatArtifactsParts } from './chat-artifacts/chat-artifacts.module.js';
import type { Dialect } from './dialect.js';
import type { DialectParts } from './dialect-parts.module.js';
import { agUiParts } from './ag-ui/ag-ui.module.js';
import { genesisChatParts } from './genesis-chat/genesis-chat.module.js';
import { mcpChatParts } from './mcp-chat/mcp-chat.module.js';
import { openaiParts } from './openai/openai.module.js';

/** By the dialect's name. */
const PARTS: Record<string, (gateway: Gateway) => DialectParts> = {
  'genesis-chat': genesisChatParts,
  'mcp-chat-sse': mcpChatParts,
  openai: openaiParts,
  'chat-artifacts-ndjson': chatArtifactsParts,
  'ag-ui': agUiParts,
};

/** The routes of the dialects that are switched on. */
@Module({})
export class DialectsModule {
  static forRoot(gateway: Gateway, dialects: readonly Dialect[]): DynamicModule {
    return {
      module: DialectsModule,
      imports: dialects.map(({ name }) => moduleOf(PARTS[name]!(gateway), gateway)),
    };
  }
}

function moduleOf({ controllers, providers }: DialectParts, gateway: Gateway): DynamicModule {
  // A class of its own, so that two dialects are two modules.
  const module = class DialectModule {};
  const common = [
    { provide: AUTHENTICATE, useValue: gateway.authenticate },
    { provide: OPEN_STREAMS, useValue: gateway.openStreams },
    { provide: TIME, useValue: gateway.time },
  ];
  return { module, controllers, providers: [...common, ...providers] };
}
