import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readDocument, root } from './documents.js';

type WriteRelease = (root: string, version: string, date: string) => void;
const { writeRelease } = (await import(join(root, 'scripts/release.mjs'))) as { writeRelease: WriteRelease };
const WORKER = 'packages/tool-worker/package.json';
const KEPT = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'test/contracts/golden', WORKER];

let folder: string;
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const changelog = (text: string) => writeFileSync(join(folder, 'CHANGELOG.md'), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-release-'));
  for (const file of KEPT) cpSync(join(root, file), join(folder, file), { recursive: true });
  changelog('# Changelog\n\n## Unreleased\n\n- Adds trains.\n\n## 0.1.0\n\n- First.\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a release sets one version everywhere, lists its changes and keeps its golden messages', () => {
  writeRelease(folder, '9.10.0', '2027-01-31');
  const manifest = JSON.parse(read('package.json')) as { version: string };
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': object } };
  expect([manifest.version, lock.version, lock.packages['']]).toEqual([
    '9.10.0',
    '9.10.0',
    expect.objectContaining({ version: '9.10.0' }),
  ]);
  for (const file of ['package.json', WORKER])
    expect(read(file)).toBe(readDocument(file).replace(/"version": "[^"]+"/, '"version": "9.10.0"'));
  expect(read('CHANGELOG.md')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 9.10.0 (2027-01-31)\n\n- Adds trains.\n\n## 0.1.0\n\n- First.\n',
  );
  const kept = 'messages/tool.call.json';
  expect(read(`test/contracts/released/9.10.0/${kept}`)).toBe(readDocument(`test/contracts/golden/${kept}`));
});

test.each(['0.1.0', '0.0.9', 'v2.0.0', '2.0', ''])('%j is refused as the next version', (version) => {
  expect(() => writeRelease(folder, version, '2027-01-31')).toThrow('give three numbers');
  expect(read('package.json')).toBe(readDocument('package.json'));
});

test('a release without changes is refused and writes nothing', () => {
  changelog('# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- First.\n');
  expect(() => writeRelease(folder, '9.0.0', '2027-01-31')).toThrow('say what changed');
  expect(read('package.json')).toBe(readDocument('package.json'));
  expect(existsSync(join(folder, 'test/contracts/released'))).toBe(false);
});

test('CHANGELOG.md has a section for the version of this tree', () => {
  const { version } = JSON.parse(readDocument('package.json')) as { version: string };
  expect(readDocument('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}( |$)`, 'm'));
});
