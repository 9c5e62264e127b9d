import { describe, expect, it } from '@jest/globals';
import { toolNameOf, wholeToolName } from './tool-name.js';

describe('the name of a tool', () => {
  it.each([
    ['math.add', 'add', 'math', 'add'],
    ['everything.get_sum_00817045d145', 'mcp:everything:get-sum', 'everything', 'get-sum'],
    ['my_crm_1f2e3d4c5b6a.users_find_0a1b2c3d4e5f', 'mcp:My CRM:users:find', 'My CRM', 'users:find'],
    ['orders.v2.refund', 'refund', 'orders', 'v2.refund'],
  ])('of %s, shown as %s, is split into %s and %s', (tool_name, display_name, toolset, tool) => {
    expect(toolNameOf({ tool_name, display_name })).toEqual({ toolset, tool });
    expect(wholeToolName({ tool_name, display_name })).toBe(`${toolset}.${tool}`);
  });

  it('is the model’s text when it contains no toolset', () => {
    expect(wholeToolName({ tool_name: 'nonsense', display_name: 'nonsense' })).toBe('nonsense');
  });
});
