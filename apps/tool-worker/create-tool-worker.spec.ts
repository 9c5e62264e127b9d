import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '#tools';
import { createToolWorker as createGroupWorker } from './group/create-tool-worker.js';
import { createToolWorker, type ToolWorkerOptions } from './create-tool-worker.js';

const about = { name: 'feed', description: 'Feeds.', class: 'once', timeoutMs: 5_000 } as const;
const tools = { pets: [defineTool({ ...about, input: z.strictObject({}), run: () => 'fed' })] };
const create = (options: Partial<ToolWorkerOptions>) => () =>
  createToolWorker({ tools, rabbitmqUrl: 'amqp://localhost', ...options });

it.each([
  ['nowhere to keep its calls', {}, /needs `mongodbUrl`, or the name of its `group`/],
  ['two ways to keep them', { mongodbUrl: 'mongodb://localhost/a', group: 'lab' }, /not both/],
  ['a group that cannot be', { group: 'The Lab' }, /"The Lab" is none/],
  ['no toolset', { tools: {}, group: 'lab' }, /at least one toolset/],
])('a tool worker with %s is refused with a sentence that says what to do', (_what, options, sentence) => {
  expect(create(options)).toThrow(sentence);
});

it('a tool worker has no name before it starts', () => {
  expect(create({ group: 'lab' })().id).toBeUndefined();
});

it('a tool worker of the package needs a group', () => {
  const make = (options: object) => () =>
    createGroupWorker({ tools, rabbitmqUrl: 'amqp://localhost', ...(options as { group: string }) });
  expect(make({ group: 'lab' })().id).toBeUndefined();
  expect(make({})).toThrow(/a group's name .* is none/i);
  expect(make({ group: 'lab', tools: {} })).toThrow(/at least one toolset/);
});
