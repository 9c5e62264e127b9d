import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  decodeMessage,
  encodeMessage,
  TAKEN_BY,
  type Decoded,
  type Message,
  type MessageType,
} from '#contracts';
import { ASYNCAPI_PATH } from './asyncapi/worker-asyncapi.js';
import { readGolden } from './golden.js';
import { publishedNames, publishedPath, PUBLISHED_MESSAGES, publishedSchema } from './published-schemas.js';
import { problemsOf, readPublished } from './published-validator.js';
import { queuesOf } from './schemas.js';
import { CONTROL_OF_WORKERS, describeMessage, WORKER_MESSAGES } from './worker-messages.js';

const isValid = (type: MessageType, message: unknown) => problemsOf(type, message).length === 0;

/** A request that cannot be read is given as another type. */
const isReadAs = (type: MessageType, decoded: Decoded) => decoded.ok && decoded.message.type === type;

/** Each in the place of each field. */
const ODD_VALUES = [
  undefined,
  null,
  true,
  0,
  -1,
  0.5,
  1e12,
  '',
  'two words',
  'x'.repeat(5_000),
  [],
  [{}],
  {},
];

describe('docs/schemas', () => {
  it('has a file for each published schema and no other', () => {
    const files = [...publishedNames.map((name) => `${name}.schema.json`), basename(ASYNCAPI_PATH)];
    expect(readdirSync(dirname(publishedPath('envelope'))).sort()).toEqual(files.sort());
  });

  it.each(publishedNames)('%s says what the code checks (else: npm run schemas)', (name) => {
    expect(readPublished(name)).toStrictEqual(publishedSchema(name));
  });
});

describe('the messages of a worker in a group', () => {
  it('are published, and each schema says what the message means', () => {
    const unexplained = WORKER_MESSAGES.filter((type) => !describeMessage(type));
    expect(unexplained).toEqual([]);
  });

  it('are the ones that a worker takes, without those for workers with the store', () => {
    const { control } = TAKEN_BY.worker;
    const withStore = ['catalog.announce', 'catalog.withdraw', 'switches.changed'];
    expect([...CONTROL_OF_WORKERS].sort()).toEqual(
      [...control.filter((type) => !withStore.includes(type)), 'probe'].sort(),
    );
  });
});

describe.each(PUBLISHED_MESSAGES)('the published schema of %s', (type) => {
  const [queue] = queuesOf(type);
  const golden = readGolden(`messages/${type}`) as { body: Record<string, unknown> };
  const withBody = (change: Record<string, unknown>) => ({
    ...golden,
    body: Object.fromEntries(
      Object.entries({ ...golden.body, ...change }).filter(([, value]) => value !== undefined),
    ),
  });
  const judgesLikeTheCode = (message: unknown) => {
    const sent = JSON.parse(JSON.stringify(message)) as Parameters<typeof encodeMessage>[0];
    expect([message, isValid(type, sent)]).toEqual([
      message,
      isReadAs(type, decodeMessage(encodeMessage(sent), queue!)),
    ]);
    return isValid(type, sent);
  };

  it('accepts the pinned message', () => {
    expect(judgesLikeTheCode(golden)).toBe(true);
  });

  it.each<[string, unknown, boolean]>([
    ['a later minor version with more fields', { ...golden, version: '1.7.0', priority: 1 }, true],
    ['a field that it does not know', withBody({ priority: 1 }), true],
    ['another major version', { ...golden, version: '2.0.0' }, false],
    ['another type', { ...golden, type: 'turn.advance' }, false],
    ['a missing id', { ...golden, id: undefined }, false],
    ['a missing body', { ...golden, body: undefined }, false],
    ['a body that is a list', { ...golden, body: [] }, false],
    ['a time without a zone', { ...golden, at: '2026-01-02T03:04:05' }, false],
  ])('judges %s as the code does', (_case, message, isFine) => {
    expect(judgesLikeTheCode(message)).toBe(isFine);
  });

  it('judges odd values of each field as the code does', () => {
    for (const field of Object.keys(golden.body))
      for (const value of ODD_VALUES) judgesLikeTheCode(withBody({ [field]: value }));
  });
});

describe('the published schema of tool.call', () => {
  it.each([
    ['a tool without its toolset', { tool_name: 'add' }],
    ['arguments that are a list', { arguments: [] }],
    ['an unknown class', { class: 'safe' }],
    ['a deadline in words', { deadline: 'soon' }],
    ['step 0', { n: 0 }],
    ['a fractional duration', { timeout_ms: 0.5 }],
  ])('refuses %s', (_case, change) => {
    const golden = readGolden('messages/tool.call') as { body: object };
    expect(isValid('tool.call', { ...golden, body: { ...golden.body, ...change } })).toBe(false);
  });
});

describe('the published schema of ledger.ask', () => {
  it.each([
    [50, true],
    [51, false],
  ])('judges a form with %i fields as the code does', (count, isFine) => {
    const golden = readGolden('messages/ledger.ask') as Message<'ledger.ask'>;
    const names = Array.from({ length: count }, (_, index) => `field${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
    const message = { ...golden, body: { ...golden.body, schema: { type: 'object' as const, properties } } };
    expect(isReadAs('ledger.ask', decodeMessage(encodeMessage(message), 'ledger'))).toBe(isFine);
    expect(isValid('ledger.ask', message)).toBe(isFine);
  });
});
