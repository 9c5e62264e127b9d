import { describe, expect, it } from '@jest/globals';
import { createStore } from '#store';
import { SystemClock } from '#time';
import { createLocalToolsets } from './create-local-toolsets.js';

describe('createLocalToolsets', () => {
  it('offers tools that may run again, each with a description of itself and of its arguments', () => {
    const facts = createStore({ dataDir: ':memory:' });
    const toolsets = createLocalToolsets({ clock: new SystemClock(), facts });
    const offered = toolsets.flatMap((toolset) =>
      toolset.tools().map(({ definition }) => [toolset.name, definition.own_name, definition.class]),
    );
    expect(offered).toEqual([
      ['math', 'add', 'read'],
      ['math', 'multiply', 'read'],
      ['knowledge', 'rag_search', 'read'],
      ['web', 'web_search', 'read'],
      ['http', 'fetch', 'read'],
      ['time', 'now', 'read'],
      ['memory', 'remember', 'idempotent'],
      ['memory', 'recall', 'read'],
      ['memory', 'forget', 'idempotent'],
    ]);
    for (const { definition } of toolsets.flatMap((toolset) => toolset.tools())) {
      const properties = definition.input_schema.properties as Record<string, { description?: string }>;
      for (const { description } of Object.values(properties)) expect(description).toMatch(/\w{4}/);
      expect(definition.description).toMatch(/^[A-Z].*\.$/s);
    }
  });
});
