import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const AS_TYPESCRIPT = ['--import', './scripts/typescript-register.mjs', '--conditions=switchyard-source'];
const NO_ENVIRONMENT = { PATH: process.env.PATH, DATA_DIR: '/nonexistent' };

it.each([
  ['verify extra', 2, /^error: too many arguments/],
  ['replay', 2, /^error: missing required argument/],
  ['--url x status', 2, /^error: option '--url/],
  ['nothing-of-this-name', 2, /^error: unknown command/],
  ['verify', 2, /^The store could not be checked/],
  ['--help', 0, /^$/],
])('switchyard %s ends with %i', (words, code, complaint) => {
  const ended = spawnSync(
    process.execPath,
    [...AS_TYPESCRIPT, 'apps/command-line/main.ts', ...words.split(' ')],
    { env: NO_ENVIRONMENT, encoding: 'utf8' },
  );
  expect([ended.status, ended.stderr]).toEqual([code, expect.stringMatching(complaint)]);
  expect(ended.stderr).not.toMatch(/^ +at /m);
});
