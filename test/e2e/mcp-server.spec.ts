import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { removeFolders, requestJson, startStandalone, writeSettings } from './standalone-process.js';

const { resolve } = createRequire(import.meta.url);
const EVERYTHING = resolve('@modelcontextprotocol/server-everything/dist/index.js');

const ERAS: [name: string, negotiation: ClientOptions['versionNegotiation']][] = [
  ['2025-11-25', { mode: 'legacy' }],
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
];

describe('the fleet as an MCP server', () => {
  let switchyard: SwitchyardProcess;
  const clients: Client[] = [];

  beforeAll(async () => {
    const mcpServers = { everything: { command: process.execPath, args: [EVERYTHING] } };
    switchyard = await startStandalone({
      MCP_CONFIG: await writeSettings('mcp.json', { mcpServers }),
      CONFIG: await writeSettings('switchyard.json', { tools: { 'math.multiply': { approve: 'always' } } }),
    });
    // MCP servers connect after the process is ready.
    const offered = async () => (await fetch(`${switchyard.url}/api/tools`)).text();
    await waitFor(async () => (await offered()).includes('mcp:everything:echo'), {
      what: 'the tools of the MCP server',
      timeoutMs: 30_000,
    });
  }, 90_000);

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await switchyard.kill();
    await removeFolders();
  });

  async function connect(
    versionNegotiation: ClientOptions['versionNegotiation'],
    capabilities: ClientOptions['capabilities'] = {},
  ): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${switchyard.url}/mcp`)));
    clients.push(client);
    return client;
  }

  const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
    result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');

  describe.each(ERAS)('to a client of %s', (era, negotiation) => {
    let client: Client;
    beforeAll(async () => (client = await connect(negotiation)));

    test('lists local and MCP tools with the annotations of their class', async () => {
      const { tools } = await client.listTools();
      const named = new Map(tools.map((tool) => [tool.name, tool]));
      expect(named.get('math__add')).toMatchObject({
        title: 'add',
        inputSchema: { type: 'object', required: ['a', 'b'] },
        annotations: { idempotentHint: true },
      });
      expect(named.get('everything__echo')).toMatchObject({ title: 'mcp:everything:echo' });
    });

    test('runs calls, many at once', async () => {
      const sums = await Promise.all(
        [1, 2, 3, 4, 5].map((a) => client.callTool({ name: 'math__add', arguments: { a, b: 10 } })),
      );
      expect(sums.map(textOf)).toEqual(['11', '12', '13', '14', '15']);
      expect(sums.every(({ isError }) => isError !== true)).toBe(true);
    });

    test('forwards progress', async () => {
      const seen: number[] = [];
      const result = await client.callTool(
        { name: await longTool(client), arguments: { duration: 1, steps: 3 } },
        { onprogress: ({ progress }) => void seen.push(progress) },
      );
      expect(textOf(result)).toMatch(/completed/i);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(seen.length).toBeGreaterThan(0);
    });

    test('reports invalid arguments, and names close tools', async () => {
      const wrong = await client.callTool({ name: 'math__add', arguments: { a: 'two', b: 3 } });
      expect(wrong.isError).toBe(true);
      expect(textOf(wrong)).toMatch(/^ValidationError: .*a/);
      await expect(client.callTool({ name: 'math__ad', arguments: {} })).rejects.toThrow(
        /There is no tool math__ad\. Did you mean math__add/,
      );
    });

    test('returns pictures, and links what is too long', async () => {
      const { tools } = await client.listTools();
      const named = (title: string) => tools.find((tool) => tool.title === title)!.name;
      const picture = await client.callTool({ name: named('mcp:everything:get-tiny-image') });
      expect(picture.content).toContainEqual(
        expect.objectContaining({
          type: 'image',
          mimeType: 'image/png',
          data: expect.stringMatching(/^iVBOR/),
        }),
      );
      const message = 'long '.repeat(20_000);
      const long = await client.callTool({ name: 'everything__echo', arguments: { message } });
      const link = long.content.find((block) => block.type === 'resource_link')!;
      const { contents } = await client.readResource({ uri: link.uri });
      expect(contents).toEqual([{ uri: link.uri, mimeType: link.mimeType, text: `Echo: ${message}` }]);
      await expect(client.readResource({ uri: 'artifact:///art_nothing' })).rejects.toThrow(/not found/i);
      expect(tools.filter(({ name }) => name.startsWith('artifacts__'))).toEqual([]);
    });

    test('refuses what a person must approve to a client that cannot be asked', async () => {
      const refused = await client.callTool({ name: 'math__multiply', arguments: { a: 2, b: 3 } });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toMatch(/^PermissionError: multiply must be approved/);
    });

    test('stops a call whose client cancels it; in the older protocol without cancellation it continues', async () => {
      const impatient = await connect(negotiation);
      const name = await longTool(impatient);
      const controller = new AbortController();
      const onprogress = () => controller.abort(new Error('enough'));
      const calling = impatient.callTool(
        { name, arguments: { duration: era === '2025-11-25' ? 4 : 60, steps: 20 } },
        { signal: controller.signal, onprogress },
      );
      const before = countCancelled();
      const endedBefore = countEnded();
      await expect(calling).rejects.toThrow();
      if (era === '2025-11-25') {
        await impatient.close();
        await waitFor(() => countEnded() > endedBefore, { what: 'the end of the call' });
        expect(countCancelled()).toBe(before);
      } else {
        await waitFor(() => countCancelled() > before, { what: 'a cancelled call' });
      }
    });
  });

  const countEnded = () => switchyard.log.split('"audit"').length - 1;
  const countCancelled = () => switchyard.log.split('"error_type":"Cancelled"').length - 1;

  async function longTool(client: Client): Promise<string> {
    const { tools } = await client.listTools();
    return tools.find(({ title }) => title === 'mcp:everything:trigger-long-running-operation')!.name;
  }

  describe('asks through the client', () => {
    const negotiation = { mode: { pin: '2026-07-28' } } as const;

    test.each([
      [true, '6', false],
      [false, 'PermissionError', true],
    ])('approve: %s', async (approve, text, isError) => {
      const client = await connect(negotiation, { elicitation: { form: {} } });
      const asked: string[] = [];
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { approve } };
      });
      const result = await client.callTool({ name: 'math__multiply', arguments: { a: 2, b: 3 } });
      expect(asked).toEqual(['multiply wants to run with {"a":2,"b":3}']);
      expect(textOf(result)).toMatch(new RegExp(`^${text}`));
      expect(result.isError ?? false).toBe(isError);
    });
  });

  test('leaves no trace in the list of conversations', async () => {
    const { body } = await requestJson<{ conversations: unknown[] }>(`${switchyard.url}/api/conversations`);
    expect(body.conversations ?? body).toEqual([]);
  });

  test('answers garbage with an error and keeps running', async () => {
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${switchyard.url}/mcp`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      });
    expect((await post('{')).status).toBe(400);
    expect((await post('"text"')).status).toBeGreaterThanOrEqual(400);
    expect((await post('[['.repeat(5_000) + ']]'.repeat(5_000))).status).toBe(422);
    expect((await post('{"jsonrpc":"2.0","id":1,"method":"nothing"}')).status).toBeLessThan(500);
    expect((await post('{}', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await fetch(`${switchyard.url}/mcp`)).status).toBe(405);
    expect((await fetch(`${switchyard.url}/health/ready`)).status).toBe(200);
  });
});
