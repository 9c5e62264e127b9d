import { describe, expect, it } from '@jest/globals';
import type { CatalogTool } from '#contracts';
import { SchemaLosses } from './schema-losses.js';

function aTool(hash: string, input_schema: Record<string, unknown>): CatalogTool {
  return { name: 'web.search', description: 'Searches.', input_schema, hash } as CatalogTool;
}

function watch(...providers: string[]) {
  const said: unknown[] = [];
  const losses = new SchemaLosses({ warn: (fields: unknown) => said.push(fields) }, providers);
  return { losses, said };
}

const either = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] };

describe('the warning about what a provider cannot express', () => {
  it('is logged once for each definition of a tool', () => {
    const { losses, said } = watch('anthropic');
    losses.check([aTool('1', either)]);
    losses.check([aTool('1', either)]);
    expect(said).toEqual([
      { tool: 'web.search', provider: 'anthropic', keywords: ['anyOf'], paths: ['/: anyOf'] },
    ]);
    losses.check([aTool('2', either)]);
    expect(said).toHaveLength(2);
  });

  it('is logged for the provider that it concerns', () => {
    const { losses, said } = watch('anthropic', 'gemini');
    const properties = { n: { type: 'integer', multipleOf: 5 } };
    losses.check([aTool('1', { type: 'object', properties })]);
    expect(said).toEqual([
      expect.objectContaining({ provider: 'gemini', paths: ['/properties/n: multipleOf'] }),
    ]);
  });

  it('is absent for most tools', () => {
    const { losses, said } = watch('anthropic', 'openai', 'gemini', 'ollama');
    losses.check([aTool('1', { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] })]);
    expect(said).toEqual([]);
  });
});
