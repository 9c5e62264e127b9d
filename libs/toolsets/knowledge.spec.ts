import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ToolsetHost } from '#tools';
import { plainText } from '#contracts';
import { waitFor } from '../../test/services/wait-for.js';
import { toolContext } from './testing/tool-context.js';
import { createKnowledgeToolset, type KnowledgeOptions } from './knowledge.js';

const folder = () => mkdtempSync(join(tmpdir(), 'switchyard-knowledge-'));
let toolset: ToolsetHost;

afterEach(() => toolset.stop());

function create(options: KnowledgeOptions): (query: string) => Promise<string> {
  toolset = createKnowledgeToolset(options);
  const [tool] = toolset.tools();
  return async (query) => plainText(await tool!.run({ query }, toolContext()));
}

describe('rag_search', () => {
  it('takes one required string', () => {
    create({});
    expect(toolset.tools()[0]!.definition.input_schema).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
      additionalProperties: false,
    });
  });

  it('formats its hits as the Genesis frontend shows them', async () => {
    const docsDir = folder();
    writeFileSync(join(docsDir, 'one.md'), 'Apples are red.');
    writeFileSync(join(docsDir, 'two.md'), `Apples ${'grow and grow '.repeat(50)}`);
    const search = create({ docsDir, dataDir: folder() });
    const text = await search('red apples');
    expect(text).toMatch(
      /^Knowledge Base Search Results:\n\n\[Result 1\] \(Relevance: \d+\.\d\d%\)\nSource: one\.md\nContent: Apples are red\.\n\n\[Result 2\] \(Relevance: \d+\.\d\d%\)\nSource: two\.md\nContent: Apples grow.*\.\.\.\n$/,
    );
    expect(await search('bananas')).toBe(
      "No relevant documents found in knowledge base for query: 'bananas'",
    );
  });

  it('knows the documentation of Switchyard without a configured folder', async () => {
    const search = create({});
    await toolset.start();
    expect(await search('What happens when a tool worker dies?')).toContain('Source: reliability.md');
    expect(await search('How do I configure an MCP server?')).toContain('Source: mcp-servers.md');
    // What the page and the demo model propose to search for.
    expect(await search('side effects')).toContain('Source: side-effects.md');
    expect(await search('What does TOOLS_DIR do?')).toContain('Source: tools.md');
  });

  it('finds changes in the folder soon, without a restart', async () => {
    const docsDir = folder();
    writeFileSync(join(docsDir, 'one.md'), 'Apples are red.');
    const search = create({ docsDir });
    expect(await search('apples')).toContain('one.md');
    writeFileSync(join(docsDir, 'two.md'), 'Bananas are yellow.');
    // A look that took long, if only because the machine stood still, has the next one wait twenty times as long.
    const isFound = async () => (await search('bananas')).includes('two.md');
    await waitFor(isFound, { what: 'the new document', timeoutMs: 110_000 });
  }, 120_000);

  it('refuses an empty question', async () => {
    const search = create({});
    await expect(search('  ')).rejects.toMatchObject({
      detail: {
        error_type: 'ValidationError',
        error_message: 'Invalid query: Query cannot be empty',
        error_details: { parameter: 'query', provided_value: '  ', constraint: 'must not be empty' },
      },
    });
  });

  it('reports that it is unavailable without its folder, and works when the folder appears', async () => {
    const docsDir = folder();
    rmSync(docsDir, { recursive: true });
    const search = create({ docsDir });
    await expect(search('x')).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable', error_message: 'Knowledge base service not available' },
    });
    mkdirSync(docsDir);
    expect(await search('x')).toMatch(/^No relevant documents/);
  });

  it('fails with a reason when the index cannot be stored', async () => {
    const search = create({ dataDir: '/dev/null' });
    await expect(search('x')).rejects.toMatchObject({
      detail: {
        error_type: 'ToolExecutionError',
        error_message: expect.stringMatching(/^Error searching knowledge base: \w+/),
      },
    });
  });
});
