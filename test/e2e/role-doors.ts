import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TurnView } from '#contracts';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import { McpChatClient } from './mcp-chat-client.js';
import { requestJson } from './standalone-process.js';
import { Viewer } from './viewer.js';

const PATIENCE_MS = 60_000;

/** Somebody with a token at a gateway. */
export interface Caller {
  url: string;
  token: string;
}

/** A tool call that a person wants: `math`, `multiply`. */
export interface Wanted {
  toolset: string;
  tool: string;
  args: object;
}

/**
 * The ways in, by the name in `DIALECTS`, the client protocol and `/mcp`. Each asks for one call, waits until it is over,
 * and gives its state, or the type of its error. A new one needs an entry.
 */
export const DOORS: Record<string, (caller: Caller, wanted: Wanted) => Promise<string>> = {
  'socket.io': async ({ url, token }, wanted) => {
    const viewer = await Viewer.connect(url, { token });
    const { conversation_id, turn_id } = await viewer.send(messageOf(wanted));
    await viewer.ended(conversation_id, turn_id, PATIENCE_MS);
    viewer.close();
    return callIn(conversation_id, { url, token });
  },

  'genesis-chat': async (caller, wanted) => {
    const id = await newConversation(caller);
    const client = await GenesisClient.open(caller.url, { token: caller.token });
    client.say(id, messageOf(wanted));
    await client.next('complete', 1, PATIENCE_MS);
    client.socket.close();
    return callIn(id, caller);
  },

  'mcp-chat-sse': async (caller, wanted) => {
    const session = `roles-${randomUUID()}`;
    const client = new McpChatClient(caller.url, { ...bearer(caller), 'X-Session-Id': session });
    await client.connect(wanted.toolset);
    const { conversationId } = await client.stream(messageOf(wanted));
    return callIn(conversationId, caller);
  },

  'chat-artifacts-ndjson': async (caller, wanted) => {
    const response = await fetch(`${caller.url}/api/chat-artifacts`, {
      method: 'POST',
      headers: { ...bearer(caller), 'content-type': 'application/json' },
      body: JSON.stringify({ message: messageOf(wanted), conversationId: `roles ${randomUUID()}` }),
    });
    await response.text();
    return callIn(response.headers.get('x-conversation-id')!, caller);
  },

  openai: async (caller, wanted) => {
    const id = await newConversation(caller);
    await requestJson(`${caller.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(caller), 'X-Conversation-Id': id },
      json: { model: 'switchyard', messages: [{ role: 'user', content: messageOf(wanted) }] },
    });
    return callIn(id, caller);
  },

  'ag-ui': async (caller, wanted) => {
    const threadId = await newConversation(caller);
    const agent = new HttpAgent({ url: `${caller.url}/ag-ui`, threadId, headers: bearer(caller) });
    agent.addMessage({ id: randomUUID(), role: 'user', content: messageOf(wanted) });
    await agent.runAgent();
    if (agent.pendingInterrupts.length > 0) throw new Error('the user was asked');
    return callIn(threadId, caller);
  },

  '/mcp': async (caller, { toolset, tool, args }) => {
    const client = await mcpClient(caller);
    const call = { name: `${toolset}__${tool}`, arguments: args as Record<string, unknown> };
    // A tool that is not offered is a wrong name.
    const result = await client.callTool(call).catch(() => undefined);
    await client.close();
    if (!result) return 'PermissionError';
    const [first] = result.content;
    return result.isError ? (first?.type === 'text' ? first.text.split(':')[0]! : '') : 'succeeded';
  },
};

/** What each list of tools names for the caller, as `toolset.tool`. */
export const LISTS: Record<string, (caller: Caller) => Promise<string[]>> = {
  '/api/tools': async (caller) => {
    const { tools } = await get<{ tools: { qualified_name: string }[] }>(caller, '/api/tools');
    return tools.map(({ qualified_name }) => qualified_name);
  },
  '/mcp': async (caller) => {
    const client = await mcpClient(caller);
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name.replace('__', '.'));
  },
  'mcp-chat-sse': async (caller) => {
    const servers = await get<{ id: string; tools?: { name: string }[] }[]>(caller, '/servers');
    return servers.flatMap(({ id, tools = [] }) => tools.map(({ name }) => `${id}.${name}`));
  },
  'chat-artifacts-ndjson': async (caller) => {
    type Listed = { servers: { name: string; tools: { name: string }[] }[] };
    const { servers } = await get<Listed>(caller, '/api/server-status');
    return servers.flatMap((server) => server.tools.map(({ name }) => `${server.name}.${name}`));
  },
};

/** The first one of the conversation's newest turn. */
async function callIn(conversationId: string, caller: Caller): Promise<string> {
  const { turns } = await get<{ turns: TurnView[] }>(caller, `/api/conversations/${conversationId}/turns`);
  const call = turns.at(-1)!.steps[0]?.calls[0];
  return call?.error?.error_type ?? call?.state ?? 'no call';
}

async function newConversation(caller: Caller): Promise<string> {
  const init = { method: 'POST', headers: bearer(caller), json: {} };
  return (await requestJson<{ id: string }>(`${caller.url}/api/conversations`, init)).body.id;
}

export const bearer = ({ token }: Caller) => ({ authorization: `Bearer ${token}` });

export async function get<T>(caller: Caller, path: string): Promise<T> {
  const { status, body } = await requestJson<T>(`${caller.url}${path}`, { headers: bearer(caller) });
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The demo model calls what it is told to. */
function messageOf({ toolset, tool, args }: Wanted): string {
  return `call ${toolset}__${tool} with ${JSON.stringify(args)}`;
}

async function mcpClient(caller: Caller): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: bearer(caller) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${caller.url}/mcp`), { requestInit }));
  return client;
}
