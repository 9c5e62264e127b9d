import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Step, Turn } from '#contracts';
import type { ModelPart, ModelRequest } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { textOf } from '#turn';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

let fleet: FleetHarness;
let runs: number;
beforeEach(async () => {
  fleet = await FleetHarness.open();
  runs = 0;
});
afterEach(() => fleet.close());

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.strictObject({ by: z.int(), dataFiles: z.record(z.string(), z.string()).optional() }),
  class: 'read',
  timeoutMs: 5_000,
  run: async ({ dataFiles }) => {
    runs++;
    return { runs, ...(dataFiles ? { dataFiles } : {}) };
  },
});
const hosts = () => [defineToolset({ name: 'counter', version: '1.0.0', tools: [count] })];

const say = (text: string): ModelPart[] => [
  { type: 'text', text },
  { type: 'end', usage: USAGE, stop_reason: 'end_turn' },
];
const call = (name: string, args: Record<string, unknown> | undefined): ModelPart[] => [
  { type: 'tool_call', name, arguments: args, raw: '' },
  { type: 'end', usage: USAGE, stop_reason: 'tool_use' },
];
const format = (conversation: unknown) => call('response_formatter', { conversation });
const isForced = ({ tool_choice }: ModelRequest) => tool_choice?.name === 'response_formatter';

/** Runs one turn with a formatter: `loop` answers the loop's requests, `answers` the forced ones. */
async function run(
  loop: (index: number) => ModelPart[],
  answers: ModelPart[][],
  options: Turn['options'] = {},
): Promise<{ steps: Step[]; turn: Turn; requests: ModelRequest[] }> {
  const left = [...answers];
  const model = scriptedModel((request, index) => (isForced(request) ? left.shift()! : loop(index)));
  await fleet.startWorker(hosts());
  await fleet.startOrchestrator(model);
  const turn = await fleet.submit('go', { options: { formatter: true, ...options } });
  await fleet.event(turn, 'complete');
  const steps = await fleet.store.listSteps(turn.conversation_id, { after: 0, before: 2 });
  expect(left).toEqual([]);
  return { steps, turn, requests: model.requests };
}

const lastMessage = ({ messages }: ModelRequest) => JSON.stringify(messages.at(-1));

describe('a turn with a formatter', () => {
  it('ends with a forced call: the catalogue is still listed, and a last user message asks for it', async () => {
    const loop = (index: number) => (index === 0 ? call('counter__count', { by: 1 }) : say('One.'));
    const { steps, turn, requests } = await run(loop, [format([{ type: 'text', content: 'It is one.' }])]);
    const forced = requests.at(-1)!;
    expect(forced.tools.map(({ name }) => name)).toEqual(['counter__count', 'response_formatter']);
    expect(lastMessage(forced)).toMatch(/"role":"user".*response_formatter/);
    const listed = requests.map(({ tools, answer_tool }) => [
      ...tools,
      ...(answer_tool ? [answer_tool] : []),
    ]);
    expect(listed).toEqual(Array(3).fill(forced.tools));
    expect(steps.map((step) => [textOf(step), step.calls.length, step.final])).toEqual([
      ['', 1, undefined],
      ['One.', 0, undefined],
      ['It is one.', 0, true],
    ]);
    expect(JSON.stringify(steps)).not.toContain('response_formatter');
    // Viewers read it, although it came as the argument of a call.
    expect(fleet.of(turn, 'token').map(({ step, content }) => [step, content])).toEqual([
      [2, 'One.'],
      [3, 'It is one.'],
    ]);
    expect(fleet.of(turn, 'complete')[0]!.content).toBe('It is one.');
    expect(fleet.of(turn, 'step_committed').map(({ step, replaces }) => [step, replaces])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, [2]],
    ]);
  });

  it('ends with an answer that the model gives in the required form before it is forced', async () => {
    const answer = format([{ type: 'text', content: 'It is one.' }]);
    const loop = (index: number) => (index === 0 ? call('counter__count', { by: 1 }) : answer);
    const { steps, turn, requests } = await run(loop, []);
    expect(requests).toHaveLength(2);
    expect(steps.map((step) => [textOf(step), step.calls.length, step.final])).toEqual([
      ['', 1, undefined],
      ['It is one.', 0, true],
    ]);
    expect(fleet.of(turn, 'token').map(({ content }) => content)).toEqual(['It is one.']);
  });

  it('continues when the answer comes too early: next to other calls, or unreadable', async () => {
    const beside = [...call('counter__count', { by: 1 }).slice(0, 1), ...format('Too early.')];
    const loop = (index: number) => [beside, format([{ type: 'artifact' }]), say('One.')][index]!;
    const { steps, turn } = await run(loop, [format('It is one.')]);
    expect(steps.map(({ calls, final }) => [calls.length, final])).toEqual([
      [2, undefined],
      [1, undefined],
      [0, undefined],
      [0, true],
    ]);
    expect(runs).toBe(1);
    expect(fleet.of(turn, 'tool_error').map(({ error_type }) => error_type)).toEqual(
      Array(2).fill('ToolNotFound'),
    );
  });

  it('lists no formatter for a loop without tools', async () => {
    const { requests } = await run(() => say('Hi.'), [format('Hi.')], { tools: { allow: [] } });
    expect(requests.map(({ tools, answer_tool }) => [tools.length, answer_tool])).toEqual([
      [0, undefined],
      [1, undefined],
    ]);
  });

  it('asks once more for an unreadable answer, then uses the last text', async () => {
    const broken = format([{ type: 'artifact' }]);
    const { steps } = await run(() => say('Said before.'), [broken, broken]);
    expect(steps.map((step) => [textOf(step), step.final])).toEqual([
      ['Said before.', undefined],
      ['', false],
      ['Said before.', true],
    ]);
  });

  it('accepts plain text instead of the call', async () => {
    const { steps } = await run(() => say('Said before.'), [say('Plain.')]);
    expect(steps.at(-1)).toMatchObject({ final: true, blocks: [{ type: 'text', text: 'Plain.' }] });
  });

  it('ends its loop after the configured number of steps with calls', async () => {
    const loop = (index: number) => call('counter__count', { by: index });
    const { steps } = await run(loop, [format('So far.')], { max_tool_steps: 3 });
    expect(steps.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 0]);
    expect(runs).toBe(3);
    expect(textOf(steps.at(-1)!)).toBe('So far.');
  });

  it('does not run the same calls a third time in a row', async () => {
    const { steps, turn, requests } = await run(() => call('counter__count', { by: 1 }), [format('Enough.')]);
    expect(steps).toHaveLength(4);
    expect(runs).toBe(2);
    const [error] = fleet.of(turn, 'tool_error');
    expect(error).toMatchObject({ error_type: 'Cancelled', error_details: { started: false }, attempt: 0 });
    expect(lastMessage(requests.at(-1)!)).toContain('third time');
  });

  it('passes the files of the turn to tools that take them', async () => {
    const loop = (index: number) => (index === 0 ? call('counter__count', { by: 1 }) : say('One.'));
    const data_files = [{ name: 'sales', file: 'sales.2024.csv' }];
    const { steps, turn } = await run(loop, [format('One.')], { data_files });
    expect(steps[0]!.calls[0]!.arguments).toEqual({ by: 1, dataFiles: { sales: 'sales.2024.csv' } });
    expect(fleet.of(turn, 'tool_complete')[0]!.tool_result).toContain('sales.2024.csv');
  });
});

describe('a model that cannot be forced', () => {
  const model = 'ollama/qwen3';

  it('has answered with its step without calls', async () => {
    const { steps, requests } = await run(() => say('Plain.'), [], { model });
    expect(requests).toHaveLength(1);
    expect(steps.map((step) => [textOf(step), step.final])).toEqual([['Plain.', true]]);
  });

  it('is asked for its answer when its loop was ended, and may make no more calls', async () => {
    const loop = (index: number) =>
      index < 2
        ? call('counter__count', { by: index })
        : [{ type: 'text' as const, text: 'So far.' }, ...call('counter__count', { by: 9 })];
    const { steps, requests } = await run(loop, [], { model, max_tool_steps: 2 });
    expect(requests.at(-1)).not.toHaveProperty('tool_choice');
    expect(lastMessage(requests.at(-1)!)).toContain('Call no more tools');
    expect(steps.at(-1)).toMatchObject({ final: true, calls: [], blocks: [{ text: 'So far.' }] });
    expect(runs).toBe(2);
  });
});
