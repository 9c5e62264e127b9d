import { beforeEach, expect, it } from '@jest/globals';
import type { McpLogger } from '../config/telemetry.js';
import { limitLines, LINES_PER_MINUTE } from './limit-lines.js';

let nowMs: number;
let written: [level: string, fields: object, text: string][];
let limited: McpLogger;

beforeEach(() => {
  nowMs = 5_000;
  written = [];
  const write = (level: string) => (fields: object, text: string) => void written.push([level, fields, text]);
  limited = limitLines({ info: write('info'), warn: write('warn'), error: write('error') }, 'loud', {
    now: () => nowMs,
  });
});

function write(count: number): void {
  for (let i = 0; i < count; i++) limited.info({ server: 'loud' }, `line ${i}`);
}

it('limitLines writes every line of a server below the limit, at its level', () => {
  limited.info({ server: 'loud' }, 'a');
  limited.warn({ server: 'loud', source: 's' }, 'b');
  limited.error({ server: 'loud' }, 'c');
  expect(written).toEqual([
    ['info', { server: 'loud' }, 'a'],
    ['warn', { server: 'loud', source: 's' }, 'b'],
    ['error', { server: 'loud' }, 'c'],
  ]);
});

it('limitLines drops lines over the limit per minute, all levels counted together, and logs that once', () => {
  write(LINES_PER_MINUTE);
  expect(written).toHaveLength(LINES_PER_MINUTE);
  limited.error({ server: 'loud' }, 'one too many');
  write(10_000);
  expect(written.slice(LINES_PER_MINUTE)).toEqual([
    ['warn', { server: 'loud', limit: 1_000 }, 'MCP server log lines over the limit per minute'],
  ]);
});

it('limitLines logs the number of dropped lines with the next line in a later minute, and counts from zero', () => {
  write(LINES_PER_MINUTE + 7);
  written = [];
  nowMs += 60_000;
  write(LINES_PER_MINUTE);
  expect(written[0]).toEqual(['warn', { server: 'loud', lines: 7 }, 'MCP server log lines dropped']);
  expect(written).toHaveLength(1 + LINES_PER_MINUTE);
  nowMs += 60_000;
  written = [];
  write(1);
  expect(written).toEqual([['info', { server: 'loud' }, 'line 0']]);
});
