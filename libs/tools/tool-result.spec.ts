import { describe, expect, it } from '@jest/globals';
import { toolResultSchema, type ToolResult } from '#contracts';
import { plainText } from '#contracts';
import { failure, success, toFailure, toToolResult } from './tool-result.js';
import { ToolConnectionLostError, ToolError } from './tool.port.js';

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

describe('success', () => {
  it.each([
    ['text', { text: 'text' }],
    [5, { value: 5 }],
    [true, { value: true }],
    [[1, 'b'], { value: [1, 'b'] }],
    [null, { value: null }],
    [undefined, { value: null }],
    [{ a: 1 }, { a: 1 }],
  ])('puts %j into data as the protocol requires', (payload, data) => {
    expect(success(payload)).toEqual({ status: 'success', data });
  });

  it.each([[Number.NaN], [{ a: Infinity }], [1n], [[nested(40)]]])(
    'refuses data other than bounded JSON: %#',
    (payload) => {
      expect(success(payload)).toMatchObject({
        status: 'failure',
        error: { error_type: 'ToolExecutionError' },
      });
    },
  );

  it('refuses a payload that refers to itself', () => {
    const loop: Record<string, unknown> = {};
    loop.first = loop;
    loop.second = loop;
    expect(success(loop).status).toBe('failure');
  });
});

describe('toToolResult', () => {
  it.each([
    [{ status: 'banana' }],
    [{ data: {} }],
    [undefined],
    ['text'],
    [{ status: 'failure' }],
    [{ status: 'success', data: 5 }],
  ])('turns %j into a ToolExecutionError', (given) => {
    const result = toToolResult(given);
    expect(result).toMatchObject({ status: 'failure', error: { error_type: 'ToolExecutionError' } });
    expect(toolResultSchema.safeParse(result).success).toBe(true);
  });

  it('keeps a valid result and drops unknown keys', () => {
    expect(toToolResult({ status: 'no_change_needed', explanation: 'Formatted.', extra: 1 })).toEqual({
      status: 'no_change_needed',
      data: null,
      error: null,
      explanation: 'Formatted.',
    });
  });

  it('refuses a result of thousands of levels without overflowing the stack', () => {
    expect(toToolResult({ status: 'success', data: nested(20_000) }).status).toBe('failure');
    expect(toToolResult({ status: 'success', data: nested(28) }).status).toBe('success');
  });

  it('stores an unlisted error type as ToolExecutionError and keeps its name', () => {
    const error = { error_type: 'WeatherError', error_message: 'rain', error_details: { city: 'Bonn' } };
    expect(toToolResult({ status: 'failure', error }).error).toEqual({
      error_type: 'ToolExecutionError',
      error_message: 'rain',
      error_details: { city: 'Bonn', original_type: 'WeatherError' },
    });
    const withText = toToolResult({ status: 'failure', error: { ...error, error_details: 'see log' } });
    expect(withText.error?.error_details).toEqual({ details: 'see log', original_type: 'WeatherError' });
  });

  it('limits message and details', () => {
    const error = {
      error_type: 'TimeoutError',
      error_message: 'x'.repeat(100_000),
      error_details: { a: 'y'.repeat(100_000) },
    };
    const result = toToolResult({ status: 'failure', error });
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  });
});

describe('toFailure', () => {
  it('keeps the type and message of a ToolError', () => {
    const thrown = new ToolError({ error_type: 'ResourceNotFound', error_message: 'No such city.' });
    expect(toFailure(thrown)).toEqual(failure('ResourceNotFound', 'No such city.'));
  });

  it('contains the message of any other error, without its stack and control characters', () => {
    expect(toFailure(new Error('bad\u001b[31m\nline')).error).toEqual({
      error_type: 'ToolExecutionError',
      error_message: 'bad line',
    });
    expect(toFailure(undefined).error?.error_message).not.toBe('');
  });

  it('is OutcomeUnknown for a call whose connection broke', () => {
    expect(toFailure(new ToolConnectionLostError('gone')).error?.error_type).toBe('OutcomeUnknown');
  });
});

describe('plainText', () => {
  const partial: ToolResult = {
    status: 'partial_success',
    data: { copied: 3 },
    explanation: 'Some.',
    error: { error_type: 'PermissionError', error_message: 'Two were not readable.' },
  };
  it.each<[ToolResult, string]>([
    [success('hello'), 'hello'],
    [success(5), '5'],
    [success(null), ''],
    [success([{ a: 1 }]), '[{"a":1}]'],
    [{ status: 'success', data: { value: '15' } }, '15'],
    [{ status: 'success', data: { value: 1, unit: 'm' } }, '{"value":1,"unit":"m"}'],
    [{ status: 'success', data: { text: 'a', structured: {} } }, 'a'],
    [{ status: 'no_change_needed', explanation: 'Done.' }, 'Done.'],
    [{ status: 'success' }, ''],
    [failure('TimeoutError', 'No answer.'), 'TimeoutError: No answer.'],
    [partial, '{"copied":3}\nSome.\nPermissionError: Two were not readable.'],
    [{ ...partial, data: null }, 'Some.\nPermissionError: Two were not readable.'],
  ])('of %j is %j', (result, text) => {
    expect(plainText(result)).toBe(text);
  });
});
