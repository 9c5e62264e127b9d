import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ModelPart } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { DEFAULT_BUDGETS } from '#turn';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

let fleet: FleetHarness;
let runs: string[];
beforeEach(async () => {
  fleet = await FleetHarness.open();
  runs = [];
});
afterEach(() => fleet.close());

const jobs = () =>
  defineToolset({
    name: 'jobs',
    version: '1.0.0',
    tools: ['status', 'sequentialthinking'].map((name) =>
      defineTool({
        name,
        description: name,
        input: z.strictObject({ id: z.int() }),
        class: 'read',
        timeoutMs: 5_000,
        run: async ({ id }) => {
          runs.push(`${name} ${id}`);
          return 'pending';
        },
      }),
    ),
  });

const ask = (name: string, id: number): ModelPart => ({
  type: 'tool_call',
  name: `jobs__${name}`,
  arguments: { id },
  raw: '',
});

/** Asks for these calls, a step for each list, and then answers. */
function askingModel(...steps: ModelPart[][]) {
  return scriptedModel((_request, index): ModelPart[] => {
    const calls = steps[index];
    return calls
      ? [...calls, { type: 'end', stop_reason: 'tool_use', usage: USAGE }]
      : [
          { type: 'text', text: 'done' },
          { type: 'end', stop_reason: 'end_turn', usage: USAGE },
        ];
  });
}

describe('a model that repeats the same call', () => {
  it('gets the third one back without a run, with the reason, in any step', async () => {
    await fleet.startWorker([jobs()]);
    const model = askingModel([ask('status', 1)], [ask('status', 1), ask('status', 1), ask('status', 2)]);
    await fleet.startOrchestrator(model);
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    expect(runs).toHaveLength(3);
    expect(runs.filter((run) => run === 'status 1')).toHaveLength(2);
    const results = model.requests[2]!.messages.at(-1)!.content;
    expect(results.map((item) => item.type === 'tool_result' && [item.is_error, item.text])).toEqual([
      [false, 'pending'],
      [true, expect.stringContaining('ApiLimitExceeded: You have already asked for exactly this call twice')],
      [false, 'pending'],
    ]);
    expect(fleet.of(turn, 'tool_error')).toMatchObject([{ error_type: 'ApiLimitExceeded', attempt: 0 }]);
  });

  it('starts a new count with the next turn', async () => {
    await fleet.startWorker([jobs()]);
    await fleet.startOrchestrator(
      scriptedModel(({ messages }): ModelPart[] => {
        const answered = messages.at(-1)!.content.some((item) => item.type === 'tool_result');
        const end = { type: 'end' as const, stop_reason: 'end_turn' as const, usage: USAGE };
        if (answered) return [{ type: 'text', text: 'done' }, end];
        return [ask('status', 1), ask('status', 1), { type: 'end', stop_reason: 'tool_use', usage: USAGE }];
      }),
    );
    const first = await fleet.submit('one');
    await fleet.event(first, 'complete');
    await fleet.event(await fleet.submit('two', { after: first }), 'complete');
    expect(runs).toHaveLength(4);
  });

  it('may continue with a tool that is configured for frequent calls', async () => {
    await fleet.startWorker([jobs()]);
    const again = Array<ModelPart[]>(4).fill([ask('status', 1)]);
    await fleet.startOrchestrator(askingModel(...again), {
      identicalCallsOf: ({ name }) => (name === 'jobs.status' ? 10 : undefined),
    });
    await fleet.event(await fleet.submit('go'), 'complete');
    expect(runs).toHaveLength(4);
  });
});

describe('a model that thinks step by step', () => {
  it('is told to answer after the maximum number of thoughts', async () => {
    await fleet.startWorker([jobs()]);
    const model = askingModel(...[1, 2, 3].map((id) => [ask('sequentialthinking', id)]));
    await fleet.startOrchestrator(model, { budgets: { ...DEFAULT_BUDGETS, thinkingCalls: 2 } });
    await fleet.event(await fleet.submit('go'), 'complete');
    expect(runs).toHaveLength(2);
    expect(model.requests[3]!.messages.at(-1)!.content).toMatchObject([
      { type: 'tool_result', is_error: true, text: expect.stringContaining('Answer now') },
    ]);
  });
});
