import { describe, expect, it } from '@jest/globals';
import { createLocalToolsets } from './create-local-toolsets.js';

describe('createLocalToolsets', () => {
  it('offers add, multiply, rag_search and web_search, which all may run again', () => {
    const offered = createLocalToolsets().flatMap((toolset) =>
      toolset.tools().map(({ definition }) => [toolset.name, definition.own_name, definition.class]),
    );
    expect(offered).toEqual([
      ['math', 'add', 'read'],
      ['math', 'multiply', 'read'],
      ['knowledge', 'rag_search', 'read'],
      ['web', 'web_search', 'read'],
    ]);
  });
});
