import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { plainText } from '#contracts';
import { defineTool, defineToolset } from '#tools';
import { describeWithServices } from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';
import { WorkerHarness } from './worker-harness.js';

const SECRET = 'a value that nobody may read';
let harness: WorkerHarness;
let runs = 0;

const tool = (name: string, timeoutMs: number, run: (text: string) => Promise<unknown>) =>
  defineTool({
    name,
    description: name,
    input: z.strictObject({ text: z.string() }),
    class: 'once',
    timeoutMs,
    run: async ({ text }) => {
      runs++;
      return await run(text);
    },
  });

describeWithServices(['rabbitmq'], 'a tool.call on the bus', () => {
  beforeAll(async () => {
    harness = await WorkerHarness.open();
    const tools = [
      tool('echo', 10_000, async (text) => text),
      tool('throw', 10_000, async () => {
        throw new Error('it broke');
      }),
      tool('hang', 50, () => new Promise(() => {})),
    ];
    await harness.startWorker([defineToolset({ name: 'test', version: '2.3.4', tools })]);
  }, 90_000);
  afterAll(() => harness?.close());

  const end = async (name: string, change: Parameters<WorkerHarness['send']>[1] = {}) =>
    harness.outcome(await harness.send(`test.${name}`, { arguments: { text: SECRET }, ...change }));
  const records = (id: string) => harness.log.filter(({ tool_call_id }) => tool_call_id === id);

  it('a call ends with the result of its tool', async () => {
    const outcome = await end('echo');
    expect(outcome).toMatchObject({ status: 'success', data: { text: SECRET }, attempt: 1 });
    expect(plainText(outcome)).toBe(SECRET);
  });

  it('a call with invalid arguments is refused before the tool runs', async () => {
    const before = runs;
    const outcome = await end('echo', { arguments: { text: 5 } });
    expect(outcome.error).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'text' },
    });
    expect(runs).toBe(before);
    expect(records(outcome._id)).toMatchObject([{ audit: 'refused', error_type: 'ValidationError' }]);
  });

  it.each([
    ['throw', 'ToolExecutionError'],
    ['hang', 'TimeoutError'],
  ])('a call of a tool that does %s ends as %s', async (name, error_type) => {
    const outcome = await end(name, name === 'hang' ? { timeout_ms: 50 } : {});
    expect(outcome).toMatchObject({ status: 'failure', error: { error_type } });
  });

  it('a call delivered twice or more runs a once tool once and has one outcome', async () => {
    const before = runs;
    const first = await end('echo');
    for (let copies = 0; copies < 5; copies++) await harness.send('test.echo', { tool_call_id: first._id });
    await waitFor(
      async () => {
        const queue = await harness.bus.inspect('tools.test');
        return queue !== 'missing' && queue.messages === 0;
      },
      { what: 'the copies are taken' },
    );
    // A later call of the same worker ends after them.
    await end('echo');
    expect(runs).toBe(before + 2);
    expect(await harness.store.getOutcome(first._id)).toEqual(first);
    expect(await harness.store.listClaims(first._id)).toHaveLength(1);
  });

  it('a call leaves one audit record, with version and hash, without values', async () => {
    const outcome = await end('echo');
    const found = await waitFor(() => records(outcome._id)[0], { what: 'the record' });
    expect(records(outcome._id)).toHaveLength(1);
    expect(found).toMatchObject({
      audit: 'invoked',
      turn_id: 'turn_1',
      user_id: 'ann',
      tool: 'test.echo',
      version: '2.3.4',
      attempt: 1,
      status: 'success',
      arguments_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(harness.log)).not.toContain(SECRET);
  });
});
