import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import { errorDetailSchema, toolCallSchema, toolResultSchema } from '#contracts';
import { publishedPath } from './published-schemas.js';

/* Every example of tool-messages §5, by the zod schema and by the published one. */

const error = { error_type: 'TimeoutError', error_message: 'No answer within 30 s.' };
const failure = { status: 'failure', error };

const ACCEPTED_CALLS = [
  { tool_name: 'math.add', arguments: { a: 2, b: 3 } },
  { tool_name: 'fs.v2.read_file', arguments: {} },
  { tool_name: '0.1', arguments: {} },
  { tool_name: `a.${'b'.repeat(126)}`, arguments: {} },
];

const REJECTED_CALLS = [
  ...['add', 'Math.add', 'get-weather.now', 'math..add', '.add', 'math.', 'math. add', 'math.add\n', ''].map(
    (tool_name) => ({ tool_name, arguments: {} }),
  ),
  { tool_name: `a.${'b'.repeat(127)}`, arguments: {} },
  { tool_name: 'math.add' },
  ...[null, [], '{}'].map((args) => ({ tool_name: 'math.add', arguments: args })),
  { tool_name: 'math.add', arguments: {}, id: '1' },
];

const ACCEPTED_RESULTS = [
  { status: 'success' },
  { status: 'success', data: null, error: null, explanation: null },
  { status: 'no_change_needed', explanation: 'Already formatted.' },
  failure,
  ...[null, 'see log', { limit_ms: 30_000 }].map((error_details) => ({
    status: 'failure',
    data: null,
    error: { ...error, error_details },
  })),
  {
    status: 'partial_success',
    data: { copied: 3 },
    error: { error_type: 'PermissionError', error_message: 'Two files were not readable.' },
  },
  { status: 'partial_success', data: { copied: 3 } },
];

const REJECTED_RESULTS = [
  {},
  { data: {} },
  ...['banana', 'SUCCESS', 'error', 'partial_failure', null].map((status) => ({ status })),
  { status: 'failure' },
  { status: 'failure', error: null },
  { ...failure, data: {} },
  ...[
    'boom',
    { error_type: 'X' },
    { error_type: '', error_message: 'm' },
    { error_type: 'X', error_message: '' },
  ].map((wrong) => ({ status: 'failure', error: wrong })),
  ...[[], 42, true].map((error_details) => ({ status: 'failure', error: { ...error, error_details } })),
  ...[[], '15', 15].map((data) => ({ status: 'success', data })),
  { status: 'success', error },
  { status: 'no_change_needed', error },
  { status: 'success', explanation: 5 },
];

const CASES: [string, z.ZodType, unknown[], unknown[]][] = [
  ['tool-call', toolCallSchema, ACCEPTED_CALLS, REJECTED_CALLS],
  ['tool-result', toolResultSchema, ACCEPTED_RESULTS, REJECTED_RESULTS],
];

describe.each(CASES)('%s', (name, schema, accepted, rejected) => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync(publishedPath(name), 'utf8')) as object,
  );

  it.each(accepted.map((value) => [JSON.stringify(value).slice(0, 120), value]))(
    'accepts %s',
    (_json, value) => {
      expect(schema.parse(value)).toStrictEqual(value);
      expect(validate(value)).toBe(true);
    },
  );

  it.each(rejected.map((value) => [JSON.stringify(value).slice(0, 120), value]))(
    'rejects %s',
    (_json, value) => {
      expect(schema.safeParse(value).success).toBe(false);
      expect(validate(value)).toBe(false);
    },
  );
});

it('a result and its error drop unknown keys', () => {
  const given = { ...failure, took: 3, error: { ...error, stack: 'at …' } };
  expect(toolResultSchema.parse(given)).toStrictEqual(failure);
  expect(errorDetailSchema.parse({ ...error, stack: 'at …' })).toStrictEqual(error);
});
