import { describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallView, CatalogTool } from '#contracts';
import { LOCAL_USER } from '../people/auth/user.js';
import type { CallAnswer, CallPlace } from './direct-calls.js';
import { createMcpServer, type McpServerDeps } from './mcp-server.adapter.js';

const PLACE: CallPlace = { conversation_id: 'conv_1', turn_id: 'turn_1' };
const MULTIPLY = {
  name: 'math.multiply',
  own_name: 'multiply',
  display_name: 'multiply',
  toolset: 'math',
  description: 'Multiplies.',
  input_schema: { type: 'object' },
  class: 'idempotent',
  source: 'local',
} as Partial<CatalogTool> as CatalogTool;
const WAITING = {
  tool_call_id: `call_${'0'.repeat(22)}`,
  tool_name: MULTIPLY.name,
  display_name: 'multiply',
  args: { a: 2, b: 3 },
  state: 'awaiting_approval',
} as Partial<CallView> as CallView;

/** A server whose one call waits for a person, and a client; which calls were stopped. */
async function setUp(capabilities: object) {
  const stopped: CallPlace[] = [];
  const news: CallAnswer = { is: 'asked', call: WAITING };
  const deps = {
    offered: { listFor: async () => [MULTIPLY], onChange: () => undefined },
    calls: {
      run: async () => ({ place: PLACE, news }),
      stop: async (place: CallPlace) => void stopped.push(place),
    },
    log: { warn: () => undefined, error: () => undefined },
  };
  const server = createMcpServer(deps as unknown as McpServerDeps);
  const caller = { user: LOCAL_USER, left: new AbortController().signal };
  const authInfo = { token: '', clientId: 'local', scopes: [], extra: caller };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => server.fetch(new Request(url, init), { authInfo }),
  });
  await client.connect(transport);
  return { client, stopped };
}

describe('a call that needs approval', () => {
  it('is refused and stopped when its client cannot be asked, instead of waiting without an end', async () => {
    const { client, stopped } = await setUp({});
    const refused = await client.callTool({ name: 'math__multiply', arguments: { a: 2, b: 3 } });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain('this client cannot be asked');
    expect(stopped).toEqual([PLACE]);
    await client.close();
  });
});
