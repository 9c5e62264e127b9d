import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { addFleetCommands } from './fleet-commands.js';
import type { GatewayApi } from './gateway-api.adapter.js';

const toolset = { workers: 1, calls: 0, running: 0, slots: 16, per_second: 0, draining: 0, is_paused: false };

it('switchyard toolsets names the tools that are blocked one by one', async () => {
  const toolsets = [
    { ...toolset, name: 'mail', blocked_tools: ['mail.read', 'mail.send'], draining: 1 },
    { ...toolset, name: 'math' },
    // Of an older gateway.
    { ...toolset, name: 'web', is_paused: true, draining: undefined },
  ];
  let printed = '';
  const program = new Command();
  const api = { get: () => Promise.resolve({ toolsets }) } as unknown as GatewayApi;
  addFleetCommands(
    program,
    () => api,
    (text) => void (printed += text),
  );
  await program.parseAsync(['toolsets'], { from: 'user' });
  const column = printed.indexOf('STATE');
  expect(printed.split('\n').map((line) => line.slice(column))).toEqual([
    'STATE',
    'blocked: mail.read mail.send, 1 draining',
    '-',
    'paused',
    '',
  ]);
});
