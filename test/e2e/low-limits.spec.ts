import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { Gates } from './gates.js';
import { callsOf, Chat, endsOf, statusAndText } from './models-chat.js';
import { removeFolders, writeSettings } from './standalone-process.js';

const mcpServer = fileURLToPath(new URL('../../libs/mcp/testing/scripted-server.mjs', import.meta.url));
const QUEUEING_MS = 300;
const APPROVAL_MS = 360;
const TOOL_MS = 500;

/** The settings of CONFIG that models-limits.spec.ts leaves at their defaults, each as low as it goes or nearly so. */
describe('low settings', () => {
  let chat: Chat;
  /** Its turns have little time: a process of its own, so that nothing else runs out of it. */
  let hurried: Chat;
  let gates: Gates;

  beforeAll(async () => {
    gates = await Gates.create();
    const helper = { command: process.execPath, args: [mcpServer], class: 'idempotent' };
    const { mcpServers } = JSON.parse(await readGates(gates)) as { mcpServers: object };
    const settings = {
      attempts: { tool_call: 1 },
      deadlines: { queueing_ms: QUEUEING_MS, approval_hours: APPROVAL_MS / 3_600_000 },
      tools: {
        ask: { approve: 'always' },
        helper: { concurrency: 1 },
        'helper.meta': { timeout_ms: TOOL_MS },
      },
    };
    chat = await startChat(settings, { ...mcpServers, helper });
    hurried = await startChat({ budgets: { turn_minutes: 9 / 60 } }, mcpServers);
  }, 90_000);
  afterAll(async () => {
    await Promise.all([chat?.close(), hurried?.close()]);
    await gates?.remove();
    await removeFolders();
  });
  beforeEach(() => chat.startConversation());
  afterEach(() => expect(chat.provider.violations).toEqual([]));

  test('deadlines.approval_hours: a call without approval in time ends, and the model is told', async () => {
    const ask = useTools(['toolu_1', 'ask__hold', { name: 'expires' }]);
    const turn = await chat.ask('ask me', ask, say('Then not.'));
    expect(statusAndText(turn)).toEqual(['completed', 'Then not.']);
    const [call] = callsOf(turn);
    expect(call).toMatchObject({
      state: 'failed',
      attempt: 0,
      error: { error_type: 'PermissionError' },
      approval: { decision: 'expired', by: 'system' },
    });
    const [required] = chat.viewer.events('approval_required');
    const [answered] = chat.viewer.events('approval_answered');
    expect(Date.parse(answered!.timestamp)).toBeGreaterThan(Date.parse(required!.expires_at));
    expect(JSON.stringify(chat.provider.lastMessages.at(-1))).toContain('No one approved this call in time');
    const late = { turn_id: turn.turn_id, tool_call_id: call!.tool_call_id, decision: 'approve' };
    expect(await chat.viewer.request('tool_approval', late)).toMatchObject({
      error: { code: 'already_answered' },
    });
    expect(gates.starts('expires')).toBe(0);
    await chat.goesOn();
  }, 60_000);

  test('budgets.turn_minutes: a turn over its time fails, and its running calls are told to stop', async () => {
    const turn = await hurried.ask('hold', useTools(['toolu_1', 'gate__hold', { name: 'too-long' }]));
    expect(turn).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', message: expect.stringContaining('9 seconds') },
    });
    await waitFor(() => gates.cancels('too-long') === 1, { what: 'the tool being told to stop' });
    await hurried.goesOn();
  }, 60_000);

  test('attempts.tool_call: a repeatable tool is not run again after its only attempt', async () => {
    const turn = await chat.ask('die', useTools(['toolu_1', 'helper__die', {}]), say('It died.'));
    expect(statusAndText(turn)).toEqual(['completed', 'It died.']);
    expect(callsOf(turn)).toMatchObject([
      { state: 'failed', attempt: 1, error: { error_type: 'ToolExecutionError' } },
    ]);
    expect(chat.viewer.events('tool_start')).toHaveLength(1);
    await chat.goesOn();
  }, 60_000);

  test('deadlines.queueing_ms: a call that waits longer than that plus its own timeout never starts', async () => {
    const areBack = async () =>
      (await (await fetch(`${chat.process.url}/api/tools`)).text()).includes('helper.wait');
    await waitFor(areBack, { what: 'the server that died', timeoutMs: 20_000 });
    const turn = await chat.ask(
      'wait',
      useTools(['toolu_1', 'helper__wait', { steps: 1, stepMs: 2_500 }], ['toolu_2', 'helper__meta', {}]),
      say('Waited.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'Waited.']);
    expect(endsOf(turn)).toEqual([
      ['succeeded', 'waited'],
      ['failed', 'TimeoutError'],
    ]);
    const [, queued] = callsOf(turn);
    expect(queued).toMatchObject({ attempt: 0, error: { error_details: { started: false } } });
    expect(chat.viewer.events('tool_start').map(({ tool_name }) => tool_name)).toEqual(['helper.wait']);
    await chat.goesOn();
  }, 60_000);
});

async function startChat(settings: object, mcpServers: object): Promise<Chat> {
  const chat = await Chat.start({
    CONFIG: await writeSettings('switchyard.json', settings),
    MCP_CONFIG: await writeSettings('mcp.json', { mcpServers }),
  });
  const tools = async () => (await fetch(`${chat.process.url}/api/tools`)).text();
  const areThere = async () => {
    const text = await tools();
    return Object.keys(mcpServers).every((name) => text.includes(`"${name}.`));
  };
  await waitFor(areThere, { what: 'the tools of the MCP servers', timeoutMs: 20_000 });
  return chat;
}

async function readGates(gates: Gates): Promise<string> {
  return readFile(await gates.mcpConfig({ ask: 'once', gate: 'once' }), 'utf8');
}
