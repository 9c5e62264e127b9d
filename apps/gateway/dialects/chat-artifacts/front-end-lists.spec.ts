import { expect, it } from '@jest/globals';
import type { CatalogTool } from '#contracts';
import { LOCAL_USER } from '../../people/auth/user.js';
import { FrontEndLists } from './front-end-lists.js';

const add: CatalogTool = {
  name: 'math.add',
  own_name: 'add',
  description: '',
  input_schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  class: 'read',
  timeout_ms: 1,
  hash: '',
  toolset: 'math',
  source: 'local',
  display_name: 'add',
};

function lists(models: Record<string, string> = {}) {
  const offered = {
    rollCalled: () => Promise.resolve(),
    listServers: async () => [
      { name: 'gone', isRunning: false, tools: [add] },
      { name: 'math', isRunning: true, tools: [add] },
    ],
  };
  return new FrontEndLists(offered, { modelOf: (provider) => models[provider] });
}

it('the server list has no tools for a server that is not running, and no description for a tool without one', async () => {
  expect(await lists().serverNames(LOCAL_USER)).toEqual(['gone', 'math']);
  expect(await lists().servers(LOCAL_USER)).toEqual([
    { name: 'gone', isRunning: false, status: 'inactive', tools: [] },
    {
      name: 'math',
      isRunning: true,
      status: 'active',
      tools: [{ name: 'add', inputSchema: add.input_schema }],
    },
  ]);
});

it('a provider can be chosen when its model is known, also by its former name', () => {
  const chosen = lists({ anthropic: 'anthropic/claude', gemini: 'gemini/x' });
  expect(chosen.providers()).toEqual({ anthropic: true, openai: false, gemini: true, ollama: false });
  expect(['claude', 'openai'].map((name) => chosen.modelOf(name))).toEqual(['anthropic/claude', undefined]);
});
