import { agUiDialect } from './ag-ui/ag-ui.dialect.js';
import { chatArtifactsDialect } from './chat-artifacts/chat-artifacts.dialect.js';
import type { Dialect } from './host/dialect.js';
import { genesisChatDialect } from './genesis-chat/genesis-chat.dialect.js';
import { mcpChatDialect } from './mcp-chat/mcp-chat.dialect.js';
import { openaiDialect } from './openai/openai.dialect.js';

/** Every dialect that exists, a folder each; nothing else knows them by name. */
const DIALECTS: readonly Dialect[] = [
  agUiDialect,
  genesisChatDialect,
  mcpChatDialect,
  chatArtifactsDialect,
  openaiDialect,
];

export const DIALECT_NAMES = DIALECTS.map(({ name }) => name);

/** `names` as in `DIALECTS`; undefined: all that exist. */
export function chooseDialects(names: readonly string[] | undefined): Dialect[] {
  return DIALECTS.filter(({ name }) => names?.includes(name) ?? true);
}
