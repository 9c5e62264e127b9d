import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentIndex, type SearchHit } from './document-index.js';

/*
 * Runs in a worker thread: SQLite is synchronous, and indexing a large folder would stop everything else.
 */

export interface KnowledgeThreadData {
  folder: string;
  /** Of the index, or `:memory:`. */
  file: string;
}

export interface KnowledgeRequest {
  id: number;
  query: string;
}

export type KnowledgeAnswer =
  | { id: number; hits: SearchHit[] }
  | { id: number; problem: 'unavailable' }
  | { id: number; problem: 'failed'; reason: string };

const { folder, file } = workerData as KnowledgeThreadData;
let index: DocumentIndex | undefined;

parentPort?.on('message', (request: KnowledgeRequest) => parentPort?.postMessage(answer(request)));
// Ready before the first question; what goes wrong is said to whoever asks.
answer({ id: 0, query: '' });

function answer({ id, query }: KnowledgeRequest): KnowledgeAnswer {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return { id, problem: 'unavailable' };
  try {
    index ??= new DocumentIndex(folder, file);
    return { id, hits: index.search(query) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { id, problem: 'failed', reason: String(code ?? message) };
  }
}
