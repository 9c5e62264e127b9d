import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool, defineToolset, type ToolContext } from '#tools';
import { inTime, waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from '../orchestrator/fleet-harness.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const QUESTION = { message: 'Sure?', schema: { type: 'object', properties: {} } };

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

/** Calls `test.go` once. */
const model = () =>
  scriptedModel((_request, index) =>
    index === 0
      ? [
          { type: 'tool_call', name: 'test__go', arguments: {}, raw: '{}' },
          { type: 'end', stop_reason: 'tool_use', usage: USAGE },
        ]
      : [
          { type: 'text', text: 'Done.' },
          { type: 'end', stop_reason: 'end_turn', usage: USAGE },
        ],
  );

function toolsetOf(run: (context: ToolContext) => Promise<unknown>) {
  const input = z.strictObject({});
  const tool = { name: 'go', description: 'Goes.', input, class: 'once' as const, timeoutMs: 20_000 };
  return defineToolset({
    name: 'test',
    version: '1.0.0',
    tools: [defineTool({ ...tool, run: (_args, context) => run(context) })],
  });
}

describe('a leaving worker', () => {
  it('waits for a call that asks a person only during the drain', async () => {
    let ask: () => void = () => undefined;
    let end: () => void = () => undefined;
    let said: string | undefined;
    const toldToAsk = new Promise<void>((resolve) => (ask = resolve));
    const toldToEnd = new Promise<void>((resolve) => (end = resolve));
    const worker = await fleet.startWorker([
      toolsetOf(async (context) => {
        await toldToAsk;
        said = (await context.ask(QUESTION)).action;
        await toldToEnd;
        return 'ended in its own words';
      }),
    ]);
    await fleet.startOrchestrator(model());
    const turn = await fleet.submit('go');
    const { tool_call_id } = await fleet.event(turn, 'tool_start');

    let hasLeft = false;
    const leaving = worker.drain(20_000).then(() => (hasLeft = true));
    await nextTurn();
    ask();
    await waitFor(() => said, { what: 'an answer to the question' });
    expect(said).toBe('cancel');
    for (let round = 0; round < 20; round++) await nextTurn();
    expect(hasLeft).toBe(false);
    end();
    await inTime(leaving, { what: 'the end of the drain' });
    expect(await fleet.store.getOutcome(tool_call_id)).toMatchObject({
      status: 'success',
      data: { text: 'ended in its own words' },
    });
  });
});
