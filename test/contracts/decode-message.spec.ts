import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeMessage,
  isWithinDepth,
  MAX_DEPTH,
  MAX_MESSAGE_BYTES,
  QUEUE_TYPES,
  type Decoded,
  type QueueKind,
} from '#contracts';
import { readGolden } from './golden.js';

const queues = Object.keys(QUEUE_TYPES) as QueueKind[];
const bytes = (text: string) => new TextEncoder().encode(text);
const encode = (value: unknown) => bytes(JSON.stringify(value));
const golden = (type: string) => readGolden(`messages/${type}`) as Record<string, unknown> & { body: object };
const reasonOf = (decoded: Decoded) => (decoded.ok ? 'read' : decoded.reason);

/** A `tool.call` that nests exactly so many levels: the envelope and the body are two of them. */
function callOfDepth(levels: number) {
  const call = golden('tool.call');
  return { ...call, body: { ...call.body, arguments: nest(levels - 2) } };
}

describe('decodeMessage', () => {
  it('reads a higher minor version with fields that it does not know, and drops them', () => {
    const message = golden('tool.call');
    const newer = {
      ...message,
      version: '1.7.0',
      priority: 9,
      body: { ...message.body, labels: ['new'] },
    };
    expect(decodeMessage(encode(newer), 'tools')).toStrictEqual({
      ok: true,
      message: { ...message, version: '1.7.0' },
    });
  });

  it.each(['2.0.0', '0.9.0', '10.0.0', '1.0', '1', '', 'v1.0.0', '1.0.0\n', '1.0.0-rc.1', 1, null])(
    'refuses version %j',
    (version) => {
      const decoded = decodeMessage(encode({ ...golden('turn.advance'), version }), 'turns');
      expect(reasonOf(decoded)).toMatch(/^version: /);
    },
  );

  it('reads 32 levels and refuses 33', () => {
    const deepest = callOfDepth(MAX_DEPTH);
    expect(isWithinDepth(deepest, MAX_DEPTH - 1)).toBe(false);
    expect(decodeMessage(encode(deepest), 'tools')).toStrictEqual({ ok: true, message: deepest });
    const tooDeep = encode(callOfDepth(MAX_DEPTH + 1));
    expect(reasonOf(decodeMessage(tooDeep, 'tools'))).toBe('deeper than 32 levels');
  });

  it('refuses 1.1 MiB and reads what is just small enough', () => {
    const message = golden('tool.result');
    const empty = encode({ ...message, body: { ...message.body, data: { text: '' } } }).byteLength;
    const sized = (size: number) =>
      encode({ ...message, body: { ...message.body, data: { text: 'x'.repeat(size - empty) } } });
    expect(decodeMessage(sized(MAX_MESSAGE_BYTES), 'results').ok).toBe(true);
    expect(reasonOf(decodeMessage(sized(MAX_MESSAGE_BYTES + 1), 'results'))).toBe(
      'larger than 1048576 bytes',
    );
    const tooLarge = sized(Math.ceil(1.1 * MAX_MESSAGE_BYTES));
    expect(reasonOf(decodeMessage(tooLarge, 'results'))).toBe('larger than 1048576 bytes');
  });

  it.each(['', '{', 'hello', '{"id":1,}', 'NaN', '{} {}', "{'a':1}"])('refuses %j as not JSON', (text) => {
    expect(reasonOf(decodeMessage(bytes(text), 'turns'))).toBe('not JSON');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(reasonOf(decodeMessage(new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'turns'))).toBe('not JSON');
  });

  it('refuses a type of another queue, and an unknown type', () => {
    expect(reasonOf(decodeMessage(encode(golden('tool.call')), 'turns'))).toBe(
      'type tool.call does not belong here',
    );
    const unknown = { ...golden('tool.call'), type: 'constructor' };
    expect(reasonOf(decodeMessage(encode(unknown), 'tools'))).toBe('type constructor does not belong here');
  });

  it('names what is wrong with a body, never its values', () => {
    const message = golden('tool.result');
    const banana = { ...message, body: { ...message.body, status: 'banana', worker: 7 } };
    const reason = reasonOf(decodeMessage(encode(banana), 'results'));
    expect(reason).toMatch(/^body: status/);
    expect(reason).not.toContain('banana');
  });

  it.each([20_000, 400_000])('refuses JSON that nests %d levels without falling over', (levels) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = `${open.repeat(levels)}1${close.repeat(levels)}`;
      const inBody = `{"id":"1","type":"turn.advance","version":"1.0.0","body":${text}}`;
      for (const json of [text, inBody]) {
        const reason = reasonOf(decodeMessage(bytes(json), 'turns'));
        expect(['deeper than 32 levels', 'larger than 1048576 bytes']).toContain(reason);
      }
    }
  });

  it('never throws, whatever the bytes are', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: 'binary' }).map(bytes),
      fc.json({ maxDepth: 40 }).map(bytes),
      fc
        .tuple(
          fc.constantFrom('turn.advance', 'tool.call', 'tool.result', 'turn.partial', 'probe'),
          brokenPart(),
        )
        .map(([type, [key, value]]) => encode(broken(golden(type), key, value))),
    );
    const property = fc.property(anything, fc.constantFrom(...queues), (content, queue) => {
      const decoded = decodeMessage(content, queue);
      if (!decoded.ok) expect(decoded.reason.length).toBeLessThanOrEqual(600);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

/** Objects so many levels deep. */
function nest(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level++) value = { in: value };
  return value;
}

const brokenPart = () =>
  fc.tuple(
    fc.constantFrom(
      'id',
      'type',
      'version',
      'at',
      'body',
      'status',
      'arguments',
      'n',
      'data',
      'error',
      '__proto__',
    ),
    fc.jsonValue({ maxDepth: 5 }),
  );

function broken(message: Record<string, unknown> & { body: object }, key: string, value: unknown): unknown {
  return key in message
    ? { ...message, [key]: value }
    : { ...message, body: { ...message.body, [key]: value } };
}

describe('a request of a worker that cannot be read', () => {
  const settle = golden('ledger.settle') as { body: Record<string, unknown> };
  const { request_id, worker } = settle.body;
  const decode = (body: object) => decodeMessage(encode({ ...settle, body }), 'ledger');

  it('is given with its sender and the reason, so that it can be refused', () => {
    const { id, at, version } = golden('ledger.settle');
    const decoded = decode({ ...settle.body, attempt: 'first' });
    const body = { request_id, worker, reason: 'body: attempt: must be a number' };
    expect(decoded).toStrictEqual({
      ok: true,
      message: { id, at, version, type: 'ledger.unreadable', body },
    });
  });

  it('is given so although it is too deep', () => {
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown;
    expect(decode({ ...settle.body, result: deep })).toMatchObject({
      ok: true,
      message: { type: 'ledger.unreadable', body: { request_id, worker, reason: 'deeper than 32 levels' } },
    });
  });

  it.each([{ worker }, { request_id }, { request_id: 5, worker }])(
    'is nothing without a sender: %j',
    (body) => {
      expect(reasonOf(decode(body))).toMatch(/^body: /);
    },
  );
});
