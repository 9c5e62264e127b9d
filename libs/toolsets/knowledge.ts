import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ErrorType } from '#contracts';
import { defineTool, defineToolset, ToolError, type ToolsetHost, toPrintable } from '#tools';
import type { SearchHit } from './document-index.js';
import { refuseEmptyQuery } from './empty-query.js';
import { KnowledgeSearcher, KnowledgeUnavailableError } from './knowledge-searcher.js';

export interface KnowledgeOptions {
  /** The folder of `.md` and `.txt` documents; without it, the documents about Switchyard itself. */
  docsDir?: string;
  /** The folder of the index; without it, the index is in memory. */
  dataDir?: string;
}

export function createKnowledgeToolset({ docsDir, dataDir }: KnowledgeOptions = {}): ToolsetHost {
  const folder = docsDir ?? fileURLToPath(new URL('./documents/', import.meta.url));
  const file = dataDir === undefined ? ':memory:' : join(dataDir, 'knowledge.db');
  const searcher = new KnowledgeSearcher({ folder, file });
  return defineToolset({
    name: 'knowledge',
    version: '1.0.0',
    tools: [
      defineTool({
        name: 'rag_search',
        description:
          'Searches the knowledge base (documents of this installation) and returns the most relevant passages with their sources.',
        input: z.strictObject({ query: z.string().describe('What to look for: a question or keywords') }),
        class: 'read',
        timeoutMs: 60_000,
        run: ({ query }) => search(searcher, query),
      }),
    ],
    start: () => Promise.resolve(searcher.start()),
    stop: () => searcher.stop(),
  });
}

async function search(searcher: KnowledgeSearcher, query: string): Promise<string> {
  refuseEmptyQuery(query);
  try {
    const hits = await searcher.search(query);
    return hits.length > 0
      ? formatHits(hits)
      : `No relevant documents found in knowledge base for query: '${query}'`;
  } catch (error) {
    if (error instanceof KnowledgeUnavailableError) {
      throw failed('DependencyUnavailable', 'Knowledge base service not available');
    }
    const reason = toPrintable((error as Error).message, 200);
    throw failed('ToolExecutionError', `Error searching knowledge base: ${reason}`);
  }
}

function formatHits(hits: readonly SearchHit[]): string {
  const parts = hits.map(
    ({ source, relevance, content }, index) =>
      `[Result ${index + 1}] (Relevance: ${relevance.toFixed(2)}%)\nSource: ${toPrintable(source)}\nContent: ${content}\n`,
  );
  return ['Knowledge Base Search Results:\n', ...parts].join('\n');
}

function failed(error_type: ErrorType, error_message: string): ToolError {
  return new ToolError({ error_type, error_message });
}
