import { chatArtifacts } from './chat-artifacts/chat-artifacts.js';
import type { Dialect } from './dialect.js';
import { agUi } from './ag-ui/ag-ui.js';
import { genesisChat } from './genesis-chat/genesis-chat.js';
import { mcpChat } from './mcp-chat/mcp-chat.js';
import { openai } from './openai/openai.js';

/** Every dialect that exists, a folder each. */
const DIALECTS: readonly Dialect[] = [agUi, genesisChat, mcpChat, chatArtifacts, openai];

export const DIALECT_NAMES = DIALECTS.map(({ name }) => name);

/** `names` as in `DIALECTS`; undefined: all that exist. */
export function chooseDialects(names: readonly string[] | undefined): Dialect[] {
  return DIALECTS.filter(({ name }) => names?.includes(name) ?? true);
}
