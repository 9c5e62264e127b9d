import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DIALECT_NAMES } from '../../apps/gateway/dialects/dialects.js';
import { removeFolders, startStandalone } from '../e2e/standalone-process.js';
import { codeSpans, firstCells, readDocument, root, section } from './documents.js';

const run = promisify(execFile);
const text = readDocument('docs/dialects.md');
const LINE_MS = 30_000;
const START_MS = 60_000;
/** A line that says how a section's system is started, for sections that need more than `npm start`. */
const START = /^((?:[A-Z_]+=\S+ )*)npm start$/;

interface Example {
  /** As it stands, one shell command in one or several lines. */
  commands: string[];
  /** Lines that it prints, `…` for anything; undefined when the document does not say. */
  prints: string | undefined;
}

afterAll(removeFolders);

function examplesOf(part: string): Example[] {
  return [...part.matchAll(/^```sh\n([\s\S]*?)^```$(?:\n+```text\n([\s\S]*?)^```$)?/gm)].map(
    ([, code, prints]) => ({
      commands: code!
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('#')),
      prints,
    }),
  );
}

function environmentOf(examples: Example[]): Record<string, string> {
  const start = examples.flatMap(({ commands }) => commands.filter((line) => START.test(line)))[0] ?? '';
  return Object.fromEntries(
    [...start.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** Empty ones do not count: not every answer ends its last line. */
function linesOf(printed: string): string[] {
  return printed.split('\n').filter((line) => line.trim() !== '');
}

function toPattern(prints: string): RegExp {
  const lines = linesOf(prints).map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${lines.map((line) => line.replaceAll('…', '.*')).join('\\n')}$`);
}

/** Of each line what it prints; each must succeed. Variables of one line are there in the next. */
async function runAll(commands: string[]): Promise<string> {
  const script = ['set -euo pipefail', ...commands.map((line) => `${line}; echo`)].join('\n');
  const { stdout } = await run('bash', ['-c', script], { cwd: root, timeout: LINE_MS });
  return stdout;
}

describe.each(DIALECT_NAMES)('docs/dialects.md: %s', (name) => {
  it('has a row in the table', () => {
    expect(firstCells(text.split('\n## ')[0]!)).toContain(`\`${name}\``);
  });

  it(
    'has examples that print what they show',
    async () => {
      const examples = examplesOf(section(text, `## ${name}`));
      expect(examples.length).toBeGreaterThan(0);
      const { PORT = '3000', ...env } = environmentOf(examples);
      const standalone = await startStandalone(env);
      const here = (line: string) => line.replaceAll(`localhost:${PORT}/`, `localhost:${standalone.port}/`);
      for (const { commands, prints } of examples) {
        const lines = commands.filter((line) => !START.test(line)).map(here);
        const printed = await runAll(lines);
        if (prints !== undefined) expect(linesOf(printed).join('\n')).toMatch(toPattern(prints));
      }
      await standalone.kill('SIGTERM');
    },
    START_MS,
  );
});

const promises = (name: string) =>
  section(text, `## ${name}`)
    .split('\n')
    .filter((line) => /^\| *\d+ *\|/.test(line));
const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name!);
const withPromises = sections.filter((name) => promises(name).length > 0);

describe('the acceptance lists in docs/dialects.md', () => {
  it.each(withPromises)('name a test with its number for every line: %s', (name) => {
    const rows = promises(name);
    const numbers = rows.map((row) => Number(row.split('|')[1]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const [index, row] of rows.entries())
      for (const path of codeSpans(row).filter((span) => span.endsWith('.spec.ts'))) {
        const source = readFileSync(join(root, path), 'utf8');
        const titles = [...source.matchAll(/['"`]((?:\d+, )*\d+) /g)].flatMap(([, list]) =>
          list!.split(', '),
        );
        expect([path, titles]).toEqual([path, expect.arrayContaining([String(index + 1)])]);
      }
    const named = rows.filter((row) => codeSpans(row).some((span) => span.endsWith('.spec.ts')));
    expect(named).toHaveLength(rows.length);
  });
});
