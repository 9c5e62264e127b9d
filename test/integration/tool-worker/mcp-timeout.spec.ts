import { afterEach, describe, expect, it } from '@jest/globals';
import { Slots } from '#tools';
import { callRow, openPorts, stepRow, TURN_ID } from '#journal/testing';
import {
  createToolset,
  stdioServer,
  stopToolsets,
  testServerScript,
} from '../../../libs/mcp/testing/fixture.js';
import { HostedTools } from '../../../apps/tool-worker/offer/hosted-tools.js';
import { createCallRunner } from '../../../apps/tool-worker/testing/create-call-runner.js';

afterEach(stopToolsets);

/** Calls a tool that answers, without a word before, after `stepMs`; its server may take 100 ms for a call. */
async function callSlowTool(stepMs: number, overrides: { timeoutMs?: number } = {}) {
  const script = testServerScript('scripted');
  const toolset = createToolset(stdioServer('scripted', [script], { timeoutMs: 100 }));
  await toolset.start();
  const hosted = new HostedTools({ hosts: [toolset], overridesFor: () => overrides });
  const { definition } = hosted.find('scripted.wait')!;
  const ports = await openPorts('worker-1');
  const runner = createCallRunner(ports, [toolset], { overrides });
  const call = callRow(1, { tool_name: definition.name, arguments: { steps: 1, stepMs } });
  await ports.store.commitStep(stepRow(1, { calls: [call] }));
  const body = {
    tool_call_id: call.tool_call_id,
    turn_id: TURN_ID,
    conversation_id: 'conv_1',
    n: 1,
    user_id: 'ann',
    tool_name: definition.name,
    arguments: call.arguments,
    class: definition.class,
    timeout_ms: definition.timeout_ms,
    deadline: new Date(Date.now() + 60_000).toISOString(),
    reply_to: 'orchestrator.1',
  };
  expect(await runner.handle(body, new Slots(1))).toBe('ack');
  const outcome = await ports.store.getOutcome(call.tool_call_id);
  await ports.store.close();
  return outcome;
}

describe('the timeout of an MCP tool', () => {
  it('defaults to that of its server', async () => {
    // Too long for a worker that stood still to find answer and timeout at once.
    expect(await callSlowTool(600_000)).toMatchObject({
      status: 'failure',
      error: { error_type: 'TimeoutError', error_details: { limit_ms: 100, may_still_run: true } },
    });
  });

  it('can be configured by the deployment, even longer than its server’s', async () => {
    expect(await callSlowTool(600, { timeoutMs: 20_000 })).toMatchObject({
      status: 'success',
      data: { text: 'waited' },
    });
  });
});
