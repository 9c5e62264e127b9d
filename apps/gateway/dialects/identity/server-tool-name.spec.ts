import { describe, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { displayName, toBusName, toToolsetName } from '#tools';
import { serverToolName } from './server-tool-name.js';

function call(
  source: CallView['source'],
  server: string,
  own_name: string,
  others: { own_name: string; toolset: string }[] = [],
): CallView {
  const toolset = toToolsetName(server);
  return {
    tool_call_id: 'call_A000000000000000000000',
    tool_name: toBusName(server, own_name),
    display_name: displayName({ source, server, own_name, toolset }, others),
    source,
    toolset,
    state: 'queued',
    attempt: 0,
    args: {},
  };
}

describe('serverToolName', () => {
  it('is the tool’s name on its server, for odd names of tools and servers too', () => {
    for (const server of ['math', 'my server', 'a:b', 'mcp:mcp'])
      for (const name of ['add', 'get-weather', 'getUser', 'a.b', 'b:c', ':', 'mcp:x:y', 'Grüße'])
        expect(serverToolName(call('mcp', server, name))).toBe(name);
  });

  it('is the bare name of a local tool, even when another toolset has a tool of the same name', () => {
    const others = [{ own_name: 'add', toolset: 'more' }];
    expect(serverToolName(call('local', 'math', 'add'))).toBe('add');
    expect(call('local', 'math', 'add', others).display_name).toBe('math.add');
    expect(serverToolName(call('local', 'math', 'add', others))).toBe('add');
    expect(serverToolName(call('local', 'math', 'math.add'))).toBe('math.add');
    expect(serverToolName(call('local', 'math', 'getUser'))).toBe('getUser');
  });

  it('is the name that the model wrote when there is no such tool', () => {
    const unknown = { ...call('local', 'unknown', 'x'), display_name: 'Frobnicate it' };
    expect(serverToolName({ ...unknown, tool_name: 'unknown.frobnicate_it' })).toBe('Frobnicate it');
  });
});
