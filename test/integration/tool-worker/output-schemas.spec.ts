import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool, defineToolset, toBusName } from '#tools';
import {
  createToolset,
  serverScript,
  stdioServer,
  stopToolsets,
  testServerScript,
} from '../../../libs/mcp/testing/fixture.js';
import { describeWithServices } from '../../services/test-services.js';
import { WorkerHarness } from './worker-harness.js';

let harness: WorkerHarness;
beforeEach(async () => {
  harness = await WorkerHarness.open();
}, 90_000);
afterEach(async () => {
  await harness.close();
  await stopToolsets();
});

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.strictObject({ words: z.number(), lie: z.boolean().optional() }),
  output: z.object({ words: z.array(z.string()) }),
  class: 'once',
  timeoutMs: 60_000,
  run: ({ words, lie }) => ({ words: lie ? 'many' : Array(words).fill('word') }),
});

describeWithServices(['rabbitmq'], 'a tool with an output schema', () => {
  it('keeps a result that breaks it, notes how, and is counted; a result is checked before it is cut', async () => {
    const text = defineToolset({ name: 'text', version: '1.0.0', tools: [count] });
    const { metrics } = await harness.startWorker([text]);
    const run = async (args: Record<string, unknown>) =>
      harness.outcome(await harness.send('text.count', { arguments: args }));
    expect(await run({ words: 2 })).not.toHaveProperty('output_problem');
    const cut = await run({ words: 20_000 });
    expect(cut.data).toHaveProperty('artifacts');
    expect(cut).not.toHaveProperty('output_problem');
    expect((await metrics.toolOutputProblems.get()).values).toEqual([]);
    expect(await run({ words: 2, lie: true })).toMatchObject({
      ...{ status: 'success', data: { words: 'many' }, output_problem: 'words must be array' },
    });
    expect((await metrics.toolOutputProblems.get()).values).toMatchObject([
      { value: 1, labels: { toolset: 'text', kind: 'broken' } },
    ]);
  });

  it('of an MCP server promises its structured content, which is kept', async () => {
    const honest = createToolset(stdioServer('everything', [serverScript('everything')]));
    const lying = createToolset(stdioServer('lying', [testServerScript('lying')]));
    await Promise.all([honest.start(), lying.start()]);
    await harness.startWorker([honest, lying]);
    const kept = await harness.outcome(
      await harness.send(toBusName('everything', 'get-structured-content'), {
        arguments: { location: 'Chicago' },
      }),
    );
    expect(kept).toMatchObject({
      status: 'success',
      data: { structured: { temperature: expect.any(Number), conditions: expect.any(String) } },
    });
    expect(kept).not.toHaveProperty('output_problem');
    const broken = await harness.outcome(await harness.send('lying.weather'));
    expect(broken).toMatchObject({
      ...{ status: 'success', data: { text: 'cold', structured: { temperature: 'cold' } } },
      output_problem: 'temperature must be number',
    });
    expect(await harness.outcome(await harness.send('lying.silent'))).toMatchObject({
      ...{ status: 'success', output_problem: 'the structured content is missing' },
    });
  });
});
