import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from './program.js';

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

describe('every command', () => {
  const program = createProgram({ write: () => undefined, environment: {} });

  it.each(
    leavesOf(program).map((command) => [`${command.parent!.name()} ${command.name()}`, command] as const),
  )('%s says what it does and prints JSON on demand', (_name, command) => {
    expect(command.description()).not.toBe('');
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });
});
