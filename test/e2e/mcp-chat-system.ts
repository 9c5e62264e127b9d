import { fileURLToPath } from 'node:url';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { Gates } from './gates.js';
import { McpChatClient } from './mcp-chat-client.js';
import { ScriptedProvider } from './scripted-provider.js';
import { removeFolders, requestJson, startStandalone } from './standalone-process.js';

/** With `faulty.tool.mjs`. */
const TOOLS = fileURLToPath(new URL('./fixtures', import.meta.url));

/**
 * A whole system in one process with a scripted model. Beside the local toolsets it has the MCP servers `slow` and
 * `quick`, whose tool `hold` waits for a gate, and `faulty`, whose tool `explode` throws.
 */
export class McpChatSystem {
  private sessions = 0;

  private constructor(
    readonly gates: Gates,
    readonly provider: ScriptedProvider,
    readonly process: SwitchyardProcess,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<McpChatSystem> {
    const [gates, provider] = await Promise.all([Gates.create(), ScriptedProvider.start()]);
    const mcp = await gates.mcpConfig({ slow: 'once', quick: 'once' });
    const own = { ...provider.env, MCP_CONFIG: mcp, TOOLS_DIR: TOOLS, DIALECTS: 'mcp-chat-sse' };
    return new McpChatSystem(gates, provider, await startStandalone({ ...own, ...env }));
  }

  get url(): string {
    return this.process.url;
  }

  /** With a connection of its own, unlike every other test's. */
  newClient(headers: Record<string, string> = {}): McpChatClient {
    return new McpChatClient(this.url, { 'X-Session-Id': `test-${++this.sessions}`, ...headers });
  }

  /** A server may take a moment to start. */
  async connected(id: string, headers?: Record<string, string>): Promise<McpChatClient> {
    const client = this.newClient(headers);
    const isConnected = async () => (await client.connect(id)).status === 200;
    await waitFor(isConnected, { what: `a connection to ${id}`, timeoutMs: 30_000 });
    return client;
  }

  async messages(conversationId: string): Promise<{ role: string; content: string }[]> {
    const path = `${this.url}/api/conversations/${conversationId}/messages`;
    return (await requestJson<{ role: string; content: string }[]>(path)).body;
  }

  async turns(conversationId: string): Promise<{ turn_id: string; content: string }[]> {
    const path = `${this.url}/api/conversations/${conversationId}/turns`;
    return (await requestJson<{ turns: { turn_id: string; content: string }[] }>(path)).body.turns;
  }

  async stop(): Promise<void> {
    await this.process.kill('SIGTERM');
    await this.provider.close();
    await this.gates.remove();
    await removeFolders();
  }
}
