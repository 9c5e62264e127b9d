import { expect, it } from '@jest/globals';
import { readCommand } from './read-command.js';

it.each([
  ['', { kind: 'start' }],
  ['--help', { kind: 'help' }],
  ['-h', { kind: 'help' }],
  ['check --help', { kind: 'help' }],
  ['check', { kind: 'check', json: false }],
  ['check build --json', { kind: 'check', folder: 'build', json: true }],
  ['check --running http://host:1', { kind: 'check', running: 'http://host:1', json: false }],
  ['check --running host', { kind: 'wrong', problem: expect.stringContaining('http://') }],
  ['check a b', { kind: 'wrong', problem: 'check a b is not a command' }],
  ['chekc', { kind: 'wrong', problem: 'chekc is not a command' }],
  ['--running http://host:1', { kind: 'wrong', problem: '--running http://host:1 is not a command' }],
  ['--toolsets=a', { kind: 'wrong', problem: expect.stringContaining('--toolsets') }],
])('reads switchyard-tool-worker %s', (words, command) => {
  expect(readCommand(words.split(' ').filter((word) => word !== ''))).toEqual(command);
});
