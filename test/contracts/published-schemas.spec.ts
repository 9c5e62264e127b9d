import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { decodeMessage, encodeMessage } from '#contracts';
import { readGolden } from './golden.js';
import { publishedNames, publishedPath, publishedSchema } from './published-schemas.js';

const readPublished = (name: string) => JSON.parse(readFileSync(publishedPath(name), 'utf8')) as object;

describe('docs/schemas', () => {
  it('has a file for each published schema and no other', () => {
    const files = publishedNames.map((name) => `${name}.schema.json`);
    expect(readdirSync(dirname(publishedPath('envelope'))).sort()).toEqual(files.sort());
  });

  it.each(publishedNames)('%s says what the code checks (else: npm run schemas)', (name) => {
    expect(readPublished(name)).toStrictEqual(publishedSchema(name));
  });
});

describe.each([
  ['tool.call', 'tools'],
  ['tool.result', 'results'],
] as const)('the published schema of %s', (type, queue) => {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  const validate = ajv.compile(readPublished(`message-${type}`));
  const golden = readGolden(`messages/${type}`) as { body: Record<string, unknown> };
  const withBody = (change: Record<string, unknown>) => ({
    ...golden,
    body: Object.fromEntries(
      Object.entries({ ...golden.body, ...change }).filter(([, value]) => value !== undefined),
    ),
  });
  const every = Object.keys(golden.body);

  it.each<[string, unknown]>([
    ['the message itself', golden],
    ['a later minor version with more fields', { ...golden, version: '1.7.0', priority: 1 }],
    ['another major version', { ...golden, version: '2.0.0' }],
    ['another type', { ...golden, type: 'turn.advance' }],
    ['a missing id', { ...golden, id: undefined }],
    ['a time without a zone', { ...golden, at: '2026-01-02T03:04:05' }],
    ['an unknown status', withBody({ status: 'banana' })],
    ['a tool without its toolset', withBody({ tool_name: 'add' })],
    ['arguments that are a list', withBody({ arguments: [] })],
    ['an unknown class', withBody({ class: 'safe' })],
    ['a deadline in words', withBody({ deadline: 'soon' })],
    ['step 0', withBody({ n: 0 })],
    ['a fractional duration', withBody({ timeout_ms: 0.5 })],
    ['a negative duration', withBody({ duration_ms: -1 })],
    ...every.map((field): [string, unknown] => [`no ${field}`, withBody({ [field]: undefined })]),
  ])('judges %s as the code does', (_case, message) => {
    const sent = JSON.parse(JSON.stringify(message)) as Parameters<typeof encodeMessage>[0];
    expect(validate(sent)).toBe(decodeMessage(encodeMessage(sent), queue).ok);
  });
});
