import { afterEach, expect, it, jest } from '@jest/globals';
import { ReadBuffer } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import {
  createToolset,
  stdioServer,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
} from '../testing/fixture.js';
import { LineBuffer } from './line-buffer.js';

afterEach(() => void jest.restoreAllMocks());
afterEach(stopToolsets);

const notify = (text: string) => `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { text } })}\n`;

function read(buffer: ReadBuffer, chunks: Buffer[]): unknown[] {
  return chunks.flatMap((chunk) => {
    buffer.append(chunk);
    const messages: unknown[] = [];
    for (let message = buffer.readMessage(); message; message = buffer.readMessage()) messages.push(message);
    return messages;
  });
}

function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

/** Bytes that were copied to join chunks. */
function countCopied(): () => number {
  const joined = jest.spyOn(Buffer, 'concat');
  return () => joined.mock.calls.flatMap(([list]) => [...list]).reduce((sum, { length }) => sum + length, 0);
}

it('LineBuffer reads the same messages as the SDK’s buffer for every split into chunks', () => {
  const messages = fc.array(fc.oneof(fc.string().map(notify), fc.constant('no JSON\n'), fc.constant('\r\n')));
  fc.assert(
    fc.property(messages, fc.array(fc.nat()), (lines, cuts) => {
      const chunks = split(Buffer.from(lines.join('')), cuts);
      expect(read(new LineBuffer(100_000), chunks)).toEqual(read(new ReadBuffer(), chunks));
    }),
  );
});

it('LineBuffer refuses a line over the limit and reads the lines after it', () => {
  const buffer = new LineBuffer(100);
  buffer.append(Buffer.alloc(60, 'x'));
  expect(() => buffer.append(Buffer.alloc(60, 'x'))).toThrow('maximum size of 100 bytes');
  expect(read(buffer, [Buffer.from(notify('after it'))])).toHaveLength(1);
});

it('a stdio server’s long answer is copied at most three times', async () => {
  const toolset = createToolset(stdioServer('scripted', [testServerScript('scripted')]));
  await toolset.start();
  const copied = countCopied();
  const length = 8 * 1024 * 1024;
  await toolOf(toolset, 'huge').run({ bytes: length }, toolContext());
  expect(copied()).toBeGreaterThan(length);
  expect(copied()).toBeLessThan(4 * length);
});
