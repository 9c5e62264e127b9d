import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { callsOf, Chat, endsOf, statusAndText } from './models-chat.js';
import { removeFolders, writeSettings } from './standalone-process.js';

const mcpServer = fileURLToPath(new URL('../../libs/mcp/testing/scripted-server.mjs', import.meta.url));

describe('a model that asks for tools', () => {
  let chat: Chat;

  beforeAll(async () => {
    const helper = { command: process.execPath, args: [mcpServer], env: { LONG: 'ü'.repeat(50_000) } };
    const mcpServers = { helper };
    chat = await Chat.start({ MCP_CONFIG: await writeSettings('mcp.json', { mcpServers }) });
    const isConnected = async () => {
      const tools = await (await fetch(`${chat.process.url}/api/tools`)).text();
      return tools.includes('mcp:helper:get-weather');
    };
    await waitFor(isConnected, { what: 'the tools of the MCP server', timeoutMs: 20_000 });
  }, 60_000);
  afterAll(async () => {
    await chat.close();
    await removeFolders();
  });
  beforeEach(() => chat.startConversation());
  afterEach(() => expect(chat.provider.violations).toEqual([]));

  test('one tool: its result reaches the model and the answer the viewer', async () => {
    const turn = await chat.ask(
      'what is 17 + 25?',
      useTools(['toolu_1', 'math__add', { a: 17, b: 25 }]),
      say('It is ', '42.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'It is 42.']);
    expect(endsOf(turn)).toEqual([['succeeded', '42']]);
    const [call] = callsOf(turn);
    expect(call).toMatchObject({
      tool_name: 'math.add',
      source: 'local',
      args: { a: 17, b: 25 },
      attempt: 1,
    });
    expect(chat.provider.lastMessages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: call!.tool_call_id, content: [{ type: 'text', text: '42' }] },
      ],
    });
    expect(turn.usage).toEqual({ input_tokens: 20, output_tokens: 10, cached_tokens: 0 });
    expect(await chat.readTurn(turn.turn_id)).toMatchObject({ status: 'completed', steps: turn.steps });
    await chat.goesOn();
  });

  test('three parallel tools: the results go back in the order of the calls', async () => {
    const turn = await chat.ask(
      'three sums',
      {
        content: [
          { type: 'text', chunks: ['Let me ', 'see.'] },
          { type: 'tool_use', id: 'toolu_1', name: 'math__add', input: { a: 1, b: 2 } },
          { type: 'tool_use', id: 'toolu_2', name: 'math__multiply', input: { a: 3, b: 4 } },
          { type: 'tool_use', id: 'toolu_3', name: 'knowledge__rag_search', input: { query: 'worker' } },
        ],
      },
      say('Done.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'Let me see.Done.']);
    expect(endsOf(turn).slice(0, 2)).toEqual([
      ['succeeded', '3'],
      ['succeeded', '12'],
    ]);
    expect(endsOf(turn)[2]![1]).toContain('Knowledge Base Search Results');
    const results = chat.provider.lastMessages.at(-1)!.content as { tool_use_id: string }[];
    expect(results.map((result) => result.tool_use_id)).toEqual(
      callsOf(turn).map((call) => call.tool_call_id),
    );
    await chat.goesOn();
  });

  test('two steps in a row, with the same provider id, also twice within one step', async () => {
    const turn = await chat.ask(
      'in steps',
      useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]),
      useTools(['toolu_1', 'math__add', { a: 2, b: 2 }], ['toolu_1', 'math__add', { a: 3, b: 3 }]),
      say('2, 4, 6'),
    );
    expect(statusAndText(turn)).toEqual(['completed', '2, 4, 6']);
    expect(endsOf(turn).map(([, result]) => result)).toEqual(['2', '4', '6']);
    expect(new Set(callsOf(turn).map((call) => call.tool_call_id)).size).toBe(3);
    const again = await chat.ask('again', useTools(['toolu_1', 'math__add', { a: 4, b: 4 }]), say('8'));
    expect(endsOf(again)).toEqual([['succeeded', '8']]);
    await chat.goesOn();
  });

  test('an unknown tool: the model is told close names, and the turn continues', async () => {
    const turn = await chat.ask(
      'add',
      useTools(
        ['toolu_1', 'math__ad', { a: 1, b: 2 }],
        ['toolu_2', 'Föö bar!', {}],
        ['toolu_3', 'math__add', { a: 1, b: 2 }],
      ),
      say('3'),
    );
    expect(statusAndText(turn)).toEqual(['completed', '3']);
    expect(endsOf(turn).map(([, end]) => end)).toEqual(['ToolNotFound', 'ToolNotFound', '3']);
    const [first] = callsOf(turn);
    const { suggestions } = first!.error!.error_details as { suggestions: string[] };
    expect(suggestions).toContain('math__add');
    expect(chat.viewer.events('tool_start').map((event) => event.tool_name)).toEqual(['math.add']);
    expect(JSON.stringify(chat.provider.lastMessages.at(-1))).toContain('Did you mean math__add');
    await chat.goesOn();
  });

  test('bad arguments: ValidationError names the parameter and the tool never runs', async () => {
    const turn = await chat.ask(
      'add',
      useTools(
        ['toolu_1', 'math__add', { a: '2', b: 3 }],
        ['toolu_2', 'math__add', { a: 2 }],
        ['toolu_3', 'math__add', { a: 2, b: 3, c: 4 }],
      ),
      {
        content: [
          { type: 'tool_use', id: 'toolu_4', name: 'math__add', json: '[1, 2]' },
          { type: 'tool_use', id: 'toolu_5', name: 'math__add', json: '{"a": 1' },
          {
            type: 'tool_use',
            id: 'toolu_6',
            name: 'math__add',
            json: '{"a":'.repeat(5000) + '1' + '}'.repeat(5000),
          },
        ],
      },
      say('I give up.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'I give up.']);
    expect(endsOf(turn)).toEqual(Array(6).fill(['failed', 'ValidationError']));
    expect(callsOf(turn)[0]!.error!.error_details).toMatchObject({ parameter: 'a' });
    expect(chat.viewer.events('tool_start')).toEqual([]);
    await chat.goesOn();
  });

  test('max_tokens inside a tool call: the call is not run, however complete it looks', async () => {
    const cutOff = (a: number, json: string) => ({
      content: [
        { type: 'tool_use' as const, id: 'toolu_1', name: 'math__add', input: { a, b: 1 } },
        { type: 'tool_use' as const, id: 'toolu_2', name: 'math__add', json },
      ],
      stopReason: 'max_tokens',
    });
    const steps = [cutOff(1, '{"a": 2, "b'), cutOff(2, '{"a":2,"b":2}'), cutOff(3, '')];
    const turn = await chat.ask('add', ...steps, say('ok'));
    expect(statusAndText(turn)).toEqual(['completed', 'ok']);
    const isCutOff = ['failed', 'ValidationError'];
    const sums = ['2', '3', '4'].map((sum) => ['succeeded', sum]);
    expect(endsOf(turn)).toEqual(sums.flatMap((sum) => [sum, isCutOff]));
    expect(chat.viewer.events('tool_start')).toHaveLength(3);
    await chat.goesOn();
  });

  test('an MCP tool whose name the bus cannot carry, and one that fails', async () => {
    const names = chat.provider.requests.at(-1)!.body.tools!.map((tool) => String(tool.name));
    const weather = names.find((name) => name.includes('weather'))!;
    const turn = await chat.ask(
      'weather',
      useTools(['toolu_1', weather, { city: 'Bonn' }], ['toolu_2', 'helper__fail', {}]),
      say('It rains.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'It rains.']);
    expect(endsOf(turn)).toEqual([
      ['succeeded', 'get-weather Bonn'],
      ['failed', 'ToolExecutionError'],
    ]);
    expect(callsOf(turn)[0]).toMatchObject({ display_name: 'mcp:helper:get-weather', source: 'mcp' });
    expect(callsOf(turn)[0]!.tool_name).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
    expect(callsOf(turn)[1]!.error!.error_message).toContain('it rains');
    await chat.goesOn();
  });

  test('a result over 32 KiB: the model reads head and tail, and viewers the id of the whole', async () => {
    const turn = await chat.ask(
      'environment',
      useTools(['toolu_1', 'helper__environment', {}]),
      say('Long.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'Long.']);
    const [call] = callsOf(turn);
    expect(call).toMatchObject({ state: 'succeeded', truncated: true });
    const [{ content }] = chat.provider.lastMessages.at(-1)!.content as [{ content: [{ text: string }] }];
    expect(content[0].text).toContain('bytes left out');
    expect(Buffer.byteLength(content[0].text)).toBeLessThan(32 * 1024);
    const [end] = chat.viewer.events('tool_complete');
    expect(end!.artifacts).toMatchObject([{ id: expect.stringMatching(/^art_[0-9a-f]{32}$/), whole: true }]);
    await chat.goesOn();
  });

  test('Stop reaches the tool that is running', async () => {
    const turnId = await chat.send(
      'wait',
      useTools(
        ['toolu_1', 'helper__wait', { steps: 200, stepMs: 100 }],
        ['toolu_2', 'math__add', { a: 1, b: 1 }],
      ),
    );
    const calls = () => callsOf(chat.viewer.turn(chat.conversationId!, turnId)!);
    const isAlone = () => chat.viewer.events('tool_progress').length > 0 && calls()[1]?.state === 'succeeded';
    await waitFor(isAlone, { what: 'one tool at work, the other done' });
    const [call] = calls();
    expect(await chat.viewer.request('stop', { turn_id: turnId })).toEqual({
      may_be_running: [call!.tool_call_id],
    });
    await waitFor(() => endsOf(chat.viewer.turn(chat.conversationId!, turnId)!)[0]![0] === 'cancelled', {
      what: 'the end of the call',
    });
    expect((await chat.ended(turnId)).status).toBe('cancelled');
    await chat.goesOn();
    const text = JSON.stringify(chat.provider.lastMessages);
    expect(text).toContain('Cancelled: The turn ended before this call was answered.');
    expect(text).toContain('[The user stopped the previous answer before it was complete.]');
  });
});
