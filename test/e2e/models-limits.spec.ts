import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { Chat, endsOf, statusAndText } from './models-chat.js';
import { removeFolders, writeSettings } from './standalone-process.js';

const mcpServer = fileURLToPath(new URL('../../libs/mcp/testing/scripted-server.mjs', import.meta.url));
const sum = (n: number) =>
  ['toolu_1', 'math__add', { a: n, b: n }] as [string, string, { a: number; b: number }];

describe('the limits of a turn', () => {
  let chat: Chat;

  beforeAll(async () => {
    const settings = {
      budgets: { steps: 2, output_tokens: 100, parallel_calls: 2, turn_minutes: 1 },
      tools: { 'helper.wait': { timeout_ms: 300 } },
    };
    const mcpServers = { helper: { command: process.execPath, args: [mcpServer] } };
    chat = await Chat.start({
      CONFIG: await writeSettings('switchyard.json', settings),
      MCP_CONFIG: await writeSettings('mcp.json', { mcpServers }),
      TOOLSETS: 'math,helper',
    });
    const isConnected = async () =>
      (await (await fetch(`${chat.process.url}/api/tools`)).text()).includes('helper.wait');
    await waitFor(isConnected, { what: 'the tools of the MCP server', timeoutMs: 20_000 });
  }, 60_000);
  afterAll(async () => {
    await chat.close();
    await removeFolders();
  });
  beforeEach(() => chat.startConversation());
  afterEach(() => expect(chat.provider.violations).toEqual([]));

  test('a third step does not start when two are allowed', async () => {
    const turn = await chat.ask('add', useTools(sum(1)), useTools(sum(2)));
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(turn.error!.message).toContain('2 steps');
    expect(endsOf(turn).map(([, result]) => result)).toEqual(['2', '4']);
    await chat.goesOn();
  });

  test('more simultaneous calls than allowed are not run', async () => {
    const turn = await chat.ask('add', useTools(sum(1), sum(2), sum(3)));
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(chat.viewer.events('tool_queued')).toEqual([]);
    await chat.goesOn();
  });

  test('the model is not asked again after the output tokens are used up', async () => {
    const turn = await chat.ask('add', { ...useTools(sum(1)), usage: { output_tokens: 100 } });
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    await chat.goesOn();
  });

  test.each([
    ['takes longer than it may', 'wait', { steps: 1, stepMs: 60_000 }, ['failed', 'TimeoutError']],
    ['dies with its server', 'die', {}, ['unknown', 'OutcomeUnknown']],
  ])('a tool that %s is reported to the model as such', async (_, tool, input, end) => {
    const turn = await chat.ask('go', useTools(['toolu_1', `helper__${tool}`, input]), say('No luck.'));
    expect(statusAndText(turn)).toEqual(['completed', 'No luck.']);
    expect(endsOf(turn)).toEqual([end]);
    await chat.goesOn();
  });

  test('a tool of a missing toolset is unknown, and none is offered', async () => {
    const turn = await chat.ask(
      'search',
      useTools(['toolu_1', 'web__web_search', { query: 'x' }]),
      say('No.'),
    );
    expect(endsOf(turn)).toEqual([['failed', 'ToolNotFound']]);
    const names = chat.provider.requests.at(-1)!.body.tools!.map((tool) => String(tool.name));
    expect(names.filter((name) => !/^(math|helper)__/.test(name))).toEqual([]);
    await chat.goesOn();
  });

  test('options of a message: fewer tools, another limit of output', async () => {
    chat.provider.answer(useTools(['toolu_1', 'math__multiply', { a: 1, b: 1 }]), say('No.'));
    const options = { tools: { allow: ['math.add'] }, max_output_tokens: 50 };
    const { conversation_id, turn_id } = await chat.viewer.send('multiply', { options });
    const turn = await chat.viewer.ended(conversation_id, turn_id);
    expect(endsOf(turn)).toEqual([['failed', 'PermissionError']]);
    const { body } = chat.provider.requests.at(-1)!;
    expect([body.tools!.map((tool) => tool.name), body.max_tokens]).toEqual([['math__add'], 50]);
  });
});
