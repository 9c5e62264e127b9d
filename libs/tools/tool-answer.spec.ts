import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import * as errors from './named-errors.js';
import { runTool } from './run-tool.js';
import { explained, partly, unchanged } from './tool-answer.js';

const toolThat = (run: () => unknown) =>
  defineTool({
    name: 'act',
    description: 'Acts.',
    input: z.strictObject({}),
    class: 'read',
    timeoutMs: 1_000,
    run,
  });
const resultOf = (run: () => unknown) => runTool(toolThat(run), {});

describe('what a tool answers', () => {
  it('is success with an explanation', async () => {
    expect(await resultOf(() => explained({ copied: 3 }, 'All files are there.'))).toEqual({
      ...{ status: 'success', data: { copied: 3 }, error: null, explanation: 'All files are there.' },
    });
  });

  it('is that nothing had to be done', async () => {
    const nothing = { status: 'no_change_needed', error: null, explanation: 'Formatted already.' };
    expect(await resultOf(() => unchanged('Formatted already.'))).toEqual({ ...nothing, data: null });
    const withData = await resultOf(() => unchanged('Formatted already.', { files: 2 }));
    expect(withData).toEqual({ ...nothing, data: { files: 2 } });
  });

  it('is a part of what was asked for, and why not the rest', async () => {
    const why = new errors.PermissionError('Two files were not readable.');
    const error = { error_type: 'PermissionError', error_message: 'Two files were not readable.' };
    const partial = { status: 'partial_success', data: { copied: 3 }, error };
    expect(await resultOf(() => partly({ copied: 3 }, why, 'Copied three.'))).toEqual({
      ...{ ...partial, explanation: 'Copied three.' },
    });
    expect(await resultOf(() => partly({ copied: 3 }, error))).toEqual({ ...partial, explanation: null });
    expect(await resultOf(() => partly({ copied: 3 }, new RangeError('Too far.')))).toMatchObject({
      ...{ status: 'partial_success', data: { copied: 3 } },
      error: { error_type: 'ToolExecutionError', error_message: 'Too far.' },
    });
  });

  it.each([
    () => explained(1n, ''),
    () => unchanged('', NaN),
    () => partly([1n], new errors.ValidationError('a', 'b')),
  ])('is a failure when its payload is not JSON: %#', async (answer) => {
    expect(await resultOf(answer)).toMatchObject({
      status: 'failure',
      error: { error_type: 'ToolExecutionError' },
    });
  });
});

describe('what a tool throws', () => {
  it.each<[Error, object]>([
    [
      new errors.FileNotFoundError('no a.txt'),
      { error_type: 'FileNotFoundError', error_message: 'no a.txt' },
    ],
    [
      new errors.ResourceNotFoundError('no city', { city: 'x' }),
      { error_type: 'ResourceNotFound', error_message: 'no city', error_details: { city: 'x' } },
    ],
    [
      new errors.AuthenticationError('expired'),
      { error_type: 'AuthenticationError', error_message: 'expired' },
    ],
    [new errors.PermissionError('not yours'), { error_type: 'PermissionError', error_message: 'not yours' }],
    [
      new errors.ApiLimitError('too fast', 2_000),
      { error_type: 'ApiLimitExceeded', error_message: 'too fast', error_details: { retry_after_ms: 2_000 } },
    ],
    [
      new errors.DependencyUnavailableError('down'),
      { error_type: 'DependencyUnavailable', error_message: 'down' },
    ],
    [
      new errors.ValidationError('to', 'must be later than from'),
      {
        ...{ error_type: 'ValidationError', error_message: 'to: must be later than from' },
        error_details: { parameter: 'to', provided_value: null, constraint: 'must be later than from' },
      },
    ],
  ])('has its type: %s', async (thrown, error) => {
    const fail = () => {
      throw thrown;
    };
    expect(await resultOf(fail)).toMatchObject({ status: 'failure', error });
  });

  it('may come from another copy of this package', async () => {
    class ToolErrorOfAnotherCopy extends Error {
      readonly detail = { error_type: 'ResourceNotFound', error_message: 'no city' };
    }
    const fail = () => {
      throw new ToolErrorOfAnotherCopy('no city');
    };
    expect((await resultOf(fail)).error).toEqual({
      error_type: 'ResourceNotFound',
      error_message: 'no city',
    });
  });
});

describe('a tool that takes longer than its timeout', () => {
  const slow = (run: (signal: AbortSignal) => Promise<unknown>) =>
    defineTool({
      ...{ name: 'act', description: 'Acts.', input: z.strictObject({}), class: 'read', timeoutMs: 5 },
      run: (_args, { signal }) => run(signal),
    });

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['never ends', () => new Promise(() => undefined)],
    [
      'obeys its signal',
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ],
  ])('fails as in a worker when it %s', async (_what, run) => {
    expect(await runTool(slow(run), {})).toMatchObject({
      error: { error_type: 'TimeoutError', error_details: { limit_ms: 5, may_still_run: true } },
    });
  });
});
